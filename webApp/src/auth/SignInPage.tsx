import { ErrorCard } from "../shell/ErrorCard";
import { useTitle } from "../shell/Page";
import { ThemeToggle } from "../shell/ThemeToggle";
import { strings } from "../strings";
import { LocalForm } from "./LocalForm";
import { SupabaseForm } from "./SupabaseForm";
import { useAuthStore } from "./useAuthStore";
import "./auth.css";

export default function SignInPage() {
  const { signIn, entered, error } = useAuthStore();
  useTitle(strings.auth.title);
  return (
    <main id="main" className="sign-in">
      <div className="sign-in-corner">
        <ThemeToggle />
      </div>
      <div className="sign-in-card">
        <img src="/icon.svg" alt="" width="44" height="44" />
        <h1>{strings.shell.brand}</h1>
        <p className="soft">{strings.auth.lead}</p>
        {error ? <ErrorCard error={error} /> : null}
        {signIn?.kind === "supabase" && <SupabaseForm signIn={signIn} onEntered={entered} />}
        {signIn && signIn.kind !== "supabase" && <LocalForm signIn={signIn} onEntered={entered} />}
      </div>
    </main>
  );
}
