// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { useAuthStore } from "../auth/useAuthStore";
import { mounted } from "../chat/mounted";
import { navigate } from "../shell/router";
import { addressOfChat, namedChat, nameChat } from "./address";
import { useFetchActiveChatSession } from "./useChatSessionHooks";
import { useChatStore } from "./useChatStore";

const store = () => useChatStore.getState();
const session = (session_id: string) => ({ session_id, agent_name: "assistant" });
const here = () => location.pathname + location.search;
const until = (address: string, sessionId: string) =>
  vi.waitFor(() => expect([here(), store().sessionId, store().status]).toEqual([address, sessionId, "ready"]));
const page = () => mounted(() => void useFetchActiveChatSession(), {});

let asked: string[] = [];
let theirs: string[] = []; // what the user has

/** A server with the sessions of `theirs`; the active one is "active". */
const ask = async (address: string) => {
  const path = new URL(address, location.origin).pathname;
  asked.push(path);
  const id = decodeURIComponent(path.split("/").at(-1)!);
  if (id === "resolve") return Response.json(session("active"));
  return theirs.includes(id) ? Response.json(session(id)) : Response.json({ code: "session_not_found", detail: "No." }, { status: 404 });
};

beforeEach(() => {
  asked = [];
  theirs = ["a", "b", "active"];
  localStorage.clear();
  store().reset();
  useAuthStore.setState({ user: { id: "u1", name: "u1", isAnonymous: false } });
  vi.stubGlobal("fetch", ask);
  history.replaceState(null, "", "/");
});

afterEach(() => vi.unstubAllGlobals());

test("an address without a chat shows the one that the server has, and names it in its place, with what else it asks for", async () => {
  history.replaceState(null, "", "/?message=m");
  const before = history.length;
  const { leave } = await page();
  await until("/?message=m&chat=active", "active");
  expect(history.length).toBe(before);
  await leave();
});

test("an address that names a chat shows it, whatever another tab has opened last", async () => {
  localStorage.setItem("chatAgent_u1", "assistant");
  localStorage.setItem("chatSession_u1_assistant", "b");
  history.replaceState(null, "", "/?chat=a");
  const { leave } = await page();
  await until("/?chat=a", "a");
  expect(asked).toEqual(["/api/sessions/a"]);
  await leave();
});

test("a chat that is unknown, deleted or somebody else's gives way, and its address is gone", async () => {
  history.replaceState(null, "", "/?chat=foreign&message=m");
  const before = history.length;
  const { leave } = await page();
  await until("/?chat=active", "active");
  expect(history.length).toBe(before);
  await leave();
});

test("Back and Forward go between chats, also from another page", async () => {
  history.replaceState(null, "", "/?chat=a");
  const first = await page();
  await until("/?chat=a", "a");
  store().openSession(session("b"));
  expect(here()).toBe("/?chat=b");
  history.back();
  await until("/?chat=a", "a");
  history.forward();
  await until("/?chat=b", "b");
  navigate("/memory");
  await first.leave();
  store().openSession(session("a")); // from the list, which is beside every page
  expect(here()).toBe("/memory");
  navigate(addressOfChat("a"));
  const second = await page();
  await until("/?chat=a", "a");
  await second.leave();
});

test("who goes on to another chat before the first has come sees the other", async () => {
  let late!: () => void;
  vi.stubGlobal("fetch", async (address: string) => {
    if (address.endsWith("/a")) await new Promise<void>((resolve) => (late = resolve));
    return ask(address);
  });
  history.replaceState(null, "", "/?chat=a");
  const { leave } = await page();
  history.pushState(null, "", "/?chat=b");
  dispatchEvent(new PopStateEvent("popstate"));
  await until("/?chat=b", "b");
  late();
  await new Promise((resolve) => setTimeout(resolve, 20));
  await until("/?chat=b", "b");
  await leave();
});

test("what takes the place of a chat takes its place in the history", () => {
  store().openSession(session("a"));
  const before = history.length;
  store().openSession(session("b"), { replace: true });
  expect([here(), history.length]).toEqual(["/?chat=b", before]);
});

test("other pages name no chat, and an empty name is none", () => {
  history.replaceState(null, "", "/memory?chat=a");
  nameChat("b");
  expect([here(), namedChat()]).toEqual(["/memory?chat=a", null]);
  history.replaceState(null, "", "/?chat=");
  expect(namedChat()).toBeNull();
});
