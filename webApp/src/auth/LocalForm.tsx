import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../shell/Button";
import { ErrorCard } from "../shell/ErrorCard";
import { strings } from "../strings";
import type { LocalSignIn } from "./localSignIn";
import type { User } from "./signIn";

/** One line: a name in development, else a token. */
export function LocalForm({ signIn, onEntered }: { signIn: LocalSignIn; onEntered: (user: User) => void }) {
  const [given, setGiven] = useState("");
  const enter = useMutation({ mutationFn: () => signIn.enter(given.trim()), onSuccess: onEntered });
  const isDev = signIn.kind === "dev";
  return (
    <form
      className="sign-in-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (given.trim()) enter.mutate();
      }}
    >
      <label className="field">
        <span>{isDev ? strings.auth.name : strings.auth.token}</span>
        <input
          className="input"
          name={isDev ? "name" : "token"}
          value={given}
          onChange={(event) => setGiven(event.target.value)}
          autoComplete={isDev ? "username" : "off"}
          maxLength={isDev ? 200 : undefined}
          required
          autoFocus
        />
      </label>
      <Button type="submit" look="primary" busy={enter.isPending}>
        {strings.auth.signIn}
      </Button>
      {enter.error && <ErrorCard error={enter.error} />}
      <p className="small soft">{isDev ? strings.auth.devHint : strings.auth.tokenHint}</p>
    </form>
  );
}
