// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ApiError } from "../api/errors";
import { useToasts } from "../shell/toasts";
import { strings } from "../strings";
import type { ChatMessage } from "./message";
import { mounted } from "./mounted";
import { useSpot } from "./useSpot";

let asked: { id: string; answer: (id: string) => void; fail: (error: unknown) => void }[] = [];
let spot: string | null = null;
let isSeeking = false;

/** The page around it comes when a test lets it. */
const goTo = (id: string) => new Promise<string>((answer, fail) => asked.push({ id, answer, fail }));
const opened = (ids = "yz") =>
  mounted(() => {
    const messages = [...ids].map((id) => ({ id }) as ChatMessage);
    ({ spot, isSeeking } = useSpot("s", { messages, goTo }));
  }, {});
const toasts = () => useToasts.getState().toasts.map(({ text }) => text);
const quiet = () => new Promise((resolve) => setTimeout(resolve, 20));

beforeEach(() => {
  asked = [];
  spot = null;
  useToasts.getState().clear();
  history.replaceState(null, "", "/?chat=s&message=m");
});

afterEach(() => vi.unstubAllGlobals());

test("what is not shown is gone to, and marked under the id that it is shown by", async () => {
  const { leave } = await opened();
  await vi.waitFor(() => expect(asked.map(({ id }) => id)).toEqual(["m"]));
  await vi.waitFor(() => expect(isSeeking).toBe(true));
  asked[0]!.answer("the answer of m");
  await vi.waitFor(() => expect(spot).toBe("the answer of m"));
  expect(isSeeking).toBe(false);
  expect(location.search).toBe("?chat=s");
  expect(toasts()).toEqual([]);
  await leave();
});

test("what is shown is marked, and nobody is asked", async () => {
  const { leave } = await opened("lmn");
  await vi.waitFor(() => expect(spot).toBe("m"));
  expect(asked).toEqual([]);
  await leave();
});

test("who leaves the conversation is neither led nor told", async () => {
  const { leave } = await opened();
  await leave();
  asked[0]!.answer("m");
  await quiet();
  expect([spot, toasts(), location.search]).toEqual([null, [], "?chat=s&message=m"]);
});

test("an error on the way there is told", async () => {
  const { leave } = await opened();
  asked[0]!.fail(new TypeError("nobody answered"));
  await vi.waitFor(() => expect(toasts()).toEqual([strings.errors.offline]));
  expect(location.search).toBe("?chat=s");
  expect([spot, isSeeking]).toEqual([null, false]);
  await leave();
});

test.each([404, 422])("an address that leads nowhere says so (%i)", async (status) => {
  const { leave } = await opened();
  asked[0]!.fail(new ApiError(status, "whatever", "Whatever."));
  await vi.waitFor(() => expect(toasts()).toEqual([strings.memory.isGoneMessage]));
  await leave();
});
