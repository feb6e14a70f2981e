// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { forgetEverything } from "../shell/forget";
import { strings } from "../strings";
import { addFiles, dismissUpload, retryUpload, useUploads } from "./uploads";

interface Told {
  status: number;
  text: string;
}
let waiting: { name: string; answer: (told: Told) => void; fail: () => void; progress: (loaded: number) => void }[] = [];

/** As much of a browser's XMLHttpRequest as an upload needs. */
class Request {
  upload: { onprogress?: (event: { loaded: number; total: number; lengthComputable: boolean }) => void } = {};
  status = 0;
  responseText = "";
  onload?: () => void;
  onerror?: () => void;
  onabort?: () => void;
  open() {}
  setRequestHeader() {}
  getResponseHeader = () => null;
  abort = () => this.onabort?.();
  send(body: FormData) {
    waiting.push({
      name: (body.get("file") as File).name,
      answer: ({ status, text }) => {
        this.status = status;
        this.responseText = text;
        this.onload?.();
      },
      fail: () => this.onerror?.(),
      progress: (loaded) => this.upload.onprogress?.({ loaded, total: 200, lengthComputable: true }),
    });
  }
}

beforeEach(() => {
  waiting = [];
  vi.stubGlobal("XMLHttpRequest", Request);
});

afterEach(() => {
  forgetEverything();
  vi.unstubAllGlobals();
});

const file = (name: string) => new File(["words"], name);
const taken = (name: string) => ({ status: 202, text: JSON.stringify({ article: { id: name, name, state: "waiting", updated_at: "" }, articles: [] }) });
const refused = (status: number, detail: string) => ({ status, text: JSON.stringify({ code: "x", detail }) });
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

test("an answer without a body, or with a status that nobody knows, does not hold up the next", async () => {
  addFiles([204, 205, 304, 999].map((status) => file(`${status}.md`)));
  addFiles([file("last.md")]);
  for (const [i, status] of [204, 205, 304, 999].entries()) {
    await sent(i + 1);
    waiting[i]!.answer({ status, text: "" });
  }
  await sent(5);
  expect(states()).toEqual(["204.md failed", "205.md failed", "304.md failed", "999.md failed", "last.md sending"]);
  waiting[4]!.answer(taken("last.md"));
});

test("what the network lost can be sent again, and a new choice takes the place of the failed one", async () => {
  addFiles([file("a.md")]);
  await sent(1);
  waiting[0]!.fail();
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

test("how much has gone out is told while it goes, and begins anew with another try", async () => {
  const share = () => useUploads.getState().uploads[0]!.share;
  addFiles([file("a.md")]);
  await sent(1);
  expect(share()).toBe(0);
  waiting[0]!.progress(50);
  expect(share()).toBe(0.25);
  waiting[0]!.progress(200);
  expect(share()).toBe(1);
  waiting[0]!.fail();
  await vi.waitFor(() => expect(states()).toEqual(["a.md failed"]));
  retryUpload(useUploads.getState().uploads[0]!.id);
  await sent(2);
  expect(share()).toBe(0);
  waiting[1]!.answer(taken("a.md"));
});
