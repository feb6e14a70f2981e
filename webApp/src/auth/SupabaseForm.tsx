import { useMutation } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { Button } from "../shell/Button";
import { ErrorCard } from "../shell/ErrorCard";
import { strings } from "../strings";
import type { User } from "./signIn";
import type { SupabaseSignIn } from "./supabaseSignIn";

type Way = "password" | "signUp" | "link" | "anonymous";

export function SupabaseForm({ signIn, onEntered }: { signIn: SupabaseSignIn; onEntered: (user: User) => void }) {
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const enter = useMutation({
    mutationFn: async (way: Way): Promise<User | string> => {
      if (way === "password") return signIn.withPassword(email, password);
      if (way === "signUp") return (await signIn.signUp(email, password)) ?? strings.auth.confirmSent;
      if (way === "anonymous") return signIn.anonymously();
      await signIn.sendLink(email);
      return strings.auth.linkSent;
    },
    onSuccess: (came) => typeof came !== "string" && onEntered(came),
  });
  const isBusy = (way: Way) => enter.isPending && enter.variables === way;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    enter.mutate("password");
  };
  return (
    <form className="sign-in-form" onSubmit={submit}>
      <label className="field">
        <span>{strings.auth.email}</span>
        <input className="input" type="email" name="email" autoComplete="email" required value={email} onChange={(event) => setEmail(event.target.value)} />
      </label>
      <label className="field">
        <span>{strings.auth.pass}</span>
        <input className="input" type="password" name="password" autoComplete="current-password" required value={password} onChange={(event) => setPassword(event.target.value)} />
      </label>
      <Button type="submit" look="primary" busy={isBusy("password")}>
        {strings.auth.signIn}
      </Button>
      <Button busy={isBusy("signUp")} disabled={!email || !password} onClick={() => enter.mutate("signUp")}>
        {strings.auth.signUp}
      </Button>
      <Button look="quiet" busy={isBusy("link")} disabled={!email} onClick={() => enter.mutate("link")}>
        {strings.auth.magicLink}
      </Button>
      <Button look="quiet" busy={isBusy("anonymous")} onClick={() => enter.mutate("anonymous")}>
        {strings.auth.anonymous}
      </Button>
      {typeof enter.data === "string" && <p role="status">{enter.data}</p>}
      {enter.error && <ErrorCard error={enter.error} />}
    </form>
  );
}
