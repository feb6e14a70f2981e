import { QueryClientProvider } from "@tanstack/react-query";
import { lazy, Suspense, useEffect } from "react";
import { queryClient } from "./api/query";
import { useAuthStore } from "./auth/useAuthStore";
import { Crash } from "./shell/Crash";
import { ErrorCard } from "./shell/ErrorCard";
import { Layout } from "./shell/Layout";
import { Link } from "./shell/Link";
import { Page } from "./shell/Page";
import { pages } from "./shell/pages";
import { usePath } from "./shell/router";
import { Waiting } from "./shell/Spinner";
import { Toasts } from "./shell/Toasts";
import { strings } from "./strings";

const SignInPage = lazy(() => import("./auth/SignInPage"));

export function App() {
  return (
    <QueryClientProvider client={queryClient}>
      <Crash>
        <Suspense fallback={<Waiting />}>
          <Door />
        </Suspense>
      </Crash>
      <Toasts />
    </QueryClientProvider>
  );
}

/** Who is not signed in sees the sign-in and nothing else; another user's page begins from nothing. */
function Door() {
  const { status, user, error, restore } = useAuthStore();
  useEffect(() => void restore(), [restore]);
  if (status === "failed") return <ErrorCard error={error} onRetry={() => void restore()} />;
  if (status === "loading") return <Waiting />;
  if (!user) return <SignInPage />;
  return (
    <Layout key={user.id}>
      <CurrentPage />
    </Layout>
  );
}

function CurrentPage() {
  const path = usePath();
  const found = pages.find((each) => each.path === path);
  if (!found) {
    return (
      <Page title={strings.shell.notFound}>
        <Link to="/">{strings.shell.backToChat}</Link>
      </Page>
    );
  }
  const Shown = found.page;
  return (
    <Crash key={path}>
      <Suspense fallback={<Waiting />}>
        <Shown />
      </Suspense>
    </Crash>
  );
}
