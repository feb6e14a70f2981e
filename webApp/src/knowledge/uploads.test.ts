// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { forgetEverything } from "../shell/forget";
import { strings } from "../strings";
import { addFiles, dismissUpload, retryUpload, useUploads } from "./uploads";

type Answer = (value: Response) => void;
let waiting: { name: string; answer: Answer; fail: (error: unknown) => void }[] = [];

beforeEach(() => {
  waiting = [];
  vi.stubGlobal("fetch", (_: string, { body, signal }: { body: FormData; signal?: AbortSignal }) => {
    const { name } = body.get("file") as File;
    return new Promise<Response>((answer, fail) => {
      waiting.push({ name, answer, fail });
      signal?.addEventListener("abort", () => fail(new DOMException("", "AbortError")));
    });
  });
});

afterEach(() => {
  forgetEverything();
  vi.unstubAllGlobals();
});

const file = (name: string) => new File(["words"], name);
const taken = (name: string) => new Response(JSON.stringify({ article: { id: name, name, state: "waiting", updated_at: "" }, articles: [] }), { status: 202 });
const refused = (status: number, detail: string) => new Response(JSON.stringify({ code: "x", detail }), { status });
const states = () => useUploads.getState().uploads.map(({ file: { name }, state }) => `${name} ${state}`);
const sent = (count: number) => vi.waitFor(() => expect(waiting).toHaveLength(count));

test("files go one after the other, and one that is refused does not hold up the next", async () => {
  addFiles([file("a.md"), file("b.exe"), file("c.md")]);
  addFiles([file("d.md")]);
  await sent(1);
  expect(states()).toEqual(["a.md sending", "b.exe failed", "c.md waiting", "d.md waiting"]);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(waiting).toHaveLength(1);
  waiting[0]!.answer(refused(422, "No."));
  await sent(2);
  waiting[1]!.answer(taken("c.md"));
  await sent(3);
  expect(states()).toEqual(["a.md failed", "b.exe failed", "d.md sending"]);
  const [a, b] = useUploads.getState().uploads;
  expect(a).toMatchObject({ problem: "No.", mayRetry: false });
  expect(b).toMatchObject({ problem: strings.knowledge.unknownKind, mayRetry: false });
});

test("what the network lost can be sent again, and a new choice takes the place of the failed one", async () => {
  addFiles([file("a.md")]);
  await sent(1);
  waiting[0]!.fail(new TypeError("network"));
  await vi.waitFor(() => expect(states()).toEqual(["a.md failed"]));
  expect(useUploads.getState().uploads[0]!.mayRetry).toBe(true);
  retryUpload(useUploads.getState().uploads[0]!.id);
  await sent(2);
  waiting[1]!.answer(refused(503, "Later."));
  await vi.waitFor(() => expect(states()).toEqual(["a.md failed"]));
  addFiles([file("a.md")]);
  await sent(3);
  expect(states()).toEqual(["a.md sending"]);
  waiting[2]!.answer(taken("a.md"));
  await vi.waitFor(() => expect(states()).toEqual([]));
});

test("what is taken off the list before its turn is not sent, and who signs out sends nothing more", async () => {
  addFiles([file("a.md"), file("b.md"), file("c.md")]);
  await sent(1);
  dismissUpload(useUploads.getState().uploads[1]!.id);
  forgetEverything();
  await Promise.resolve();
  expect(states()).toEqual([]);
  addFiles([file("d.md")]);
  await sent(2);
  expect(waiting.map(({ name }) => name)).toEqual(["a.md", "d.md"]);
  waiting[1]!.answer(taken("d.md"));
});
