import { afterEach, expect, test, vi } from "vitest";
import { addressOf, authorizedFetch, call, takeTokensFrom } from "./client";
import { ApiError, offline } from "./errors";

afterEach(() => {
  takeTokensFrom(null);
  vi.unstubAllGlobals();
});

function answering(...answers: Response[]) {
  const asked: [string, RequestInit][] = [];
  vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
    asked.push([url, init]);
    return answers.shift()!;
  });
  return asked;
}

const tokenOf = (init: RequestInit) => new Headers(init.headers).get("authorization");

test("addresses are filled in and escaped, and what is not given is left out", () => {
  expect(addressOf("/api/agents/{name}/notes", { name: "a/b" })).toBe("/api/agents/a%2Fb/notes");
  expect(addressOf("/api/sessions", {}, { q: "a&b", before: undefined, limit: 3, agent_name: "" })).toBe(
    "/api/sessions?q=a%26b&limit=3",
  );
});

test("a refused token is refreshed once, and the request made again", async () => {
  const asked = answering(new Response("{}", { status: 401 }), new Response('{"agents": []}'));
  takeTokensFrom({ token: async () => "old", refresh: async () => "new" });
  expect(await call("get", "/api/agents")).toEqual({ agents: [] });
  expect(asked.map(([, init]) => tokenOf(init))).toEqual(["Bearer old", "Bearer new"]);
});

test("a token that cannot be refreshed is an error, and nothing is asked twice", async () => {
  const problem = { code: "unauthenticated", detail: "Sign in." };
  const asked = answering(new Response(JSON.stringify(problem), { status: 401 }));
  const told = vi.fn();
  takeTokensFrom({ token: async () => "old", refresh: async () => null }, told);
  await expect(authorizedFetch("/api/agents")).rejects.toMatchObject({ status: 401, detail: "Sign in." });
  expect(asked).toHaveLength(1);
  expect(told).toHaveBeenCalledExactlyOnceWith("old");
});

test("only the server says that a token is over, and of the last one: not an issuer out of reach", async () => {
  const told = vi.fn();
  const refusal = () => new Response("{}", { status: 401 });
  answering(refusal(), new Response("{}"), refusal(), refusal(), refusal());
  takeTokensFrom({ token: async () => "old", refresh: async () => "new" }, told);
  await authorizedFetch("/api/agents");
  takeTokensFrom({ token: async () => "old", refresh: () => Promise.reject(offline()) }, told);
  await expect(authorizedFetch("/api/agents")).rejects.toMatchObject({ isOffline: true });
  expect(told).not.toHaveBeenCalled();
  takeTokensFrom({ token: async () => "old", refresh: async () => "new" }, told);
  await expect(authorizedFetch("/api/agents")).rejects.toMatchObject({ status: 401 });
  expect(told).toHaveBeenCalledExactlyOnceWith("new");
});

test("an issuer that answers with something else than a token ends nothing, and the error says what to do", async () => {
  const told = vi.fn();
  const busy = async () => Promise.reject(new ApiError(429, "over_request_rate_limit", "Request rate limit reached", 7));
  answering(new Response("{}", { status: 401 }));
  takeTokensFrom({ token: async () => "old", refresh: busy }, told);
  await expect(authorizedFetch("/api/agents")).rejects.toMatchObject({ status: 429, code: "not_renewed", retryAfter: 7 });
  takeTokensFrom({ token: busy, refresh: busy }, told);
  await expect(authorizedFetch("/api/agents")).rejects.toMatchObject({ code: "not_renewed" });
  expect(told).not.toHaveBeenCalled();
});

test("nothing is asked for where nothing comes back", async () => {
  answering(new Response(null, { status: 204 }));
  expect(await call("delete", "/api/sessions/{session_id}", { path: { session_id: "x" } })).toBeUndefined();
});
