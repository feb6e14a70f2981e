// @vitest-environment jsdom
import { beforeEach, expect, test, vi } from "vitest";
import { forgetEverything } from "../shell/forget";
import { generateNewSessionId } from "./generateNewSessionId";
import { agentKey, sessionKey } from "./hints";
import { useChatStore } from "./useChatStore";

const store = () => useChatStore.getState();
const session = (session_id: string, agent_name = "assistant") => ({ session_id, agent_name });
const problem = (status: number, code: string) => new Response(JSON.stringify({ code, detail: "No." }), { status });
const answer = (body: object) => new Response(JSON.stringify(body));

function server(...answers: (Response | Promise<Response>)[]) {
  const bodies: unknown[] = [];
  vi.stubGlobal("fetch", async (_: string, init: RequestInit) => {
    bodies.push(JSON.parse(String(init.body)));
    return answers.shift()!;
  });
  return bodies;
}

beforeEach(() => {
  vi.unstubAllGlobals();
  localStorage.clear();
  history.replaceState(null, "", "/");
  store().reset();
});

test("the hint of this browser is sent, and what the server says is kept under the seed's key", async () => {
  localStorage.setItem("chatSession_u1_coder", "old");
  const bodies = server(answer(session("new", "coder")));
  await store().initializeSessionAsync("u1", "coder");
  expect(bodies).toEqual([{ agent_name: "coder", hint: "old" }]);
  expect(store()).toMatchObject({ status: "ready", sessionId: "new", agentName: "coder" });
  expect(localStorage.getItem("chatSession_u1_coder")).toBe("new");
});

test("without a wish the agent of last time is asked for, else the server's default", async () => {
  const bodies = server(answer(session("a")), answer(session("b", "coder")));
  await store().initializeSessionAsync("u1", null);
  expect(bodies[0]).toEqual({});
  history.replaceState(null, "", "/");
  localStorage.setItem(agentKey("u1"), "coder");
  await store().initializeSessionAsync("u1", null);
  expect(bodies[1]).toEqual({ agent_name: "coder" });
});

test("a failure is told, and trying again goes on", async () => {
  server(problem(503, "database_unavailable"), answer(session("a")));
  await store().initializeSessionAsync("u1", null);
  expect(store()).toMatchObject({ status: "failed", sessionId: null, error: { code: "database_unavailable" } });
  await store().initializeSessionAsync("u1", null);
  expect(store().status).toBe("ready");
});

test("a hint that the server cannot read is dropped", async () => {
  localStorage.setItem(sessionKey("u1", "assistant"), "§§§");
  const bodies = server(problem(422, "invalid_request"), answer(session("a")));
  await store().initializeSessionAsync("u1", "assistant");
  expect(bodies).toEqual([{ agent_name: "assistant", hint: "§§§" }, { agent_name: "assistant" }]);
  expect(store().sessionId).toBe("a");
});

test("an agent of last time that is gone is forgotten", async () => {
  localStorage.setItem(agentKey("u1"), "gone");
  const bodies = server(problem(404, "agent_not_found"), answer(session("a")));
  await store().initializeSessionAsync("u1", null);
  expect(bodies).toEqual([{ agent_name: "gone" }, {}]);
  expect(localStorage.getItem(agentKey("u1"))).toBe("assistant");
});

test("an answer that comes after another wish changes nothing", async () => {
  let late!: (response: Response) => void;
  server(new Promise((resolve) => (late = resolve)), answer(session("second", "coder")));
  const first = store().initializeSessionAsync("u1", "assistant");
  await store().initializeSessionAsync("u1", "coder");
  late(answer(session("first")));
  await first;
  expect(store().sessionId).toBe("second");
});

test("signing out leaves nothing but the theme", async () => {
  server(answer(session("a")));
  localStorage.setItem("theme", "dark");
  await store().initializeSessionAsync("u1", null);
  forgetEverything();
  expect(store()).toMatchObject({ status: "idle", sessionId: null, userId: null });
  expect({ ...localStorage }).toEqual({ theme: "dark" });
});

test("new ids are UUIDs, also where the page is not secure", () => {
  const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
  expect(generateNewSessionId()).toMatch(uuid);
  vi.stubGlobal("crypto", { getRandomValues: <T extends Uint8Array>(bytes: T) => bytes.fill(255) });
  expect(generateNewSessionId()).toMatch(uuid);
});
