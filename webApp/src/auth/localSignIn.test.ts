// @vitest-environment jsdom
import { expect, test, vi } from "vitest";
import { localSignIn } from "./localSignIn";

test("a token that is renewed while somebody signs out, or somebody else in, comes too late", async () => {
  const made: (() => void)[] = [];
  const token = (user_id: string) => ({ user_id, access_token: `of ${user_id}`, expires_in: 3600 });
  vi.stubGlobal("fetch", (_: string, init: RequestInit) => {
    const { user } = JSON.parse(String(init.body)) as { user: string };
    return new Promise((resolve) => made.push(() => resolve(Response.json(token(user)))));
  });
  const signIn = localSignIn("dev");
  const answered = async <T>(asked: Promise<T>) => (made.shift()!(), asked);
  await answered(signIn.enter("ada"));
  const first = signIn.refresh();
  localStorage.clear();
  expect(await answered(first)).toBeNull();
  expect(await signIn.restore()).toBeNull();

  await answered(signIn.enter("ada"));
  const second = signIn.refresh();
  const late = made.shift()!;
  await answered(signIn.enter("eve"));
  late();
  expect(await second).toBe("of eve");
  expect(await signIn.restore()).toMatchObject({ user: { name: "eve" } });
});
