// @vitest-environment jsdom
import type { FileUIPart } from "ai";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { keys, queryClient } from "../api/query";
import { useSession, useWhenGone } from "../session/useChatSessionHooks";
import { forgetEverything, forgetKept, forgetShown } from "../shell/forget";
import { mounted } from "./mounted";
import { draftKey, moveDraft } from "./useDraft";
import { movePictures } from "./usePictures";
import { useWriting } from "./useWriting";

let writing: ReturnType<typeof useWriting>;
let tell: (wasTaken: boolean) => void;
const asked: [string, FileUIPart[]][] = [];
const say = (text: string, files: FileUIPart[]) => {
  asked.push([text, files]);
  return new Promise<boolean>((resolve) => (tell = resolve));
};

const opened = (said = "", sessionId = "s") =>
  mounted(() => {
    writing = useWriting(sessionId, said);
  }, {});
const stored = () => localStorage.getItem(draftKey("s"));
const passed = () => new Promise((resolve) => setTimeout(resolve, 20));

async function written(text: string) {
  writing.write(text);
  await passed();
}

async function sent() {
  void writing.send(say);
  await passed();
}

async function settled(wasTaken: boolean) {
  tell(wasTaken);
  await passed();
}

beforeEach(() => {
  forgetEverything();
  asked.length = 0;
});

afterEach(() => vi.unstubAllGlobals());

test("what was sent is kept until the server has taken it", async () => {
  const { leave } = await opened();
  await written(" hello ");
  await sent();
  expect(asked).toEqual([["hello", []]]);
  expect(writing.draft).toBe("");
  expect(stored()).toBe(" hello ");
  await settled(true);
  expect(writing.isEmpty).toBe(true);
  expect(stored()).toBeNull();
  await leave();
});

test("what was refused comes back, before what was written meanwhile", async () => {
  const { leave } = await opened();
  await written("first");
  await sent();
  await written("second");
  await sent();
  expect(asked).toHaveLength(1);
  expect(stored()).toBe("first\n\nsecond");
  await settled(false);
  expect(writing.draft).toBe("first\n\nsecond");
  expect(stored()).toBe("first\n\nsecond");
  await leave();
});

test("pictures that were refused come back", async () => {
  const { leave } = await opened();
  await writing.add([new File(["x"], "a.png", { type: "image/png" })]);
  await passed();
  await sent();
  expect(writing.pictures).toEqual([]);
  await settled(false);
  expect(writing.pictures.map((each) => each.filename)).toEqual(["a.png"]);
  await leave();
});

test("pictures wait for a conversation that is read anew, and for nobody else", async () => {
  const first = await opened();
  await writing.add([new File(["x"], "a.png", { type: "image/png" })]);
  await passed();
  await first.leave();
  const other = await opened("", "another");
  expect(writing.pictures).toEqual([]);
  await other.leave();
  const second = await opened();
  expect(writing.pictures.map((each) => each.filename)).toEqual(["a.png"]);
  forgetEverything();
  await passed();
  expect(writing.isEmpty).toBe(true);
  await second.leave();
});

test("pictures wait for who signs in again, and go when somebody else does", async () => {
  const first = await opened();
  await writing.add([new File(["x"], "a.png", { type: "image/png" })]);
  await passed();
  await first.leave();
  forgetShown(); // the sign-in was over
  const second = await opened();
  expect(writing.pictures.map((each) => each.filename)).toEqual(["a.png"]);
  await second.leave();
  forgetKept("somebody else");
  const third = await opened();
  expect(writing.pictures).toHaveLength(1);
  forgetKept(""); // whose they are
  await passed();
  expect(writing.isEmpty).toBe(true);
  await third.leave();
});

test("what was being written in a chat that is gone stands in the next one, behind what is there", async () => {
  const first = await opened();
  await written("long thoughts");
  await writing.add([new File(["x"], "a.png", { type: "image/png" })]);
  await passed();
  await first.leave();
  localStorage.setItem(draftKey("next"), "a word");
  expect([moveDraft("s", "next"), movePictures("s", "next")]).toEqual([true, true]);
  expect([moveDraft("s", "next"), movePictures("s", "next")]).toEqual([false, false]);
  const second = await opened("", "next");
  expect(writing.draft).toBe("a word\n\nlong thoughts");
  expect(writing.pictures.map((each) => each.filename)).toEqual(["a.png"]);
  expect(stored()).toBeNull();
  await second.leave();
});

test("pictures of a message that is refused after its page was left come back", async () => {
  const first = await opened();
  await writing.add([new File(["x"], "a.png", { type: "image/png" })]);
  await passed();
  await sent();
  await first.leave();
  await settled(false);
  const second = await opened();
  expect(writing.pictures.map((each) => each.filename)).toEqual(["a.png"]);
  await second.leave();
});

test("who leaves before anything was taken finds it again, unless it was said after all", async () => {
  const first = await opened();
  await written("hello");
  await sent();
  await first.leave();
  const second = await opened("another question");
  expect(writing.draft).toBe("hello");
  await second.leave();
  const third = await opened("hello");
  expect(writing.draft).toBe("");
  expect(stored()).toBeNull();
  await third.leave();
});

test("with a chat that is erased its title and what was being written in it are forgotten, and what is written then stays", async () => {
  let isThere = true;
  const gone = () => Response.json({ code: "session_not_found", detail: "No." }, { status: 404 });
  vi.stubGlobal("fetch", async () => (isThere ? Response.json({ session_id: "s", title: "My diagnosis" }) : gone()));
  let title: string | null | undefined;
  const readAgain = async () => {
    await queryClient.invalidateQueries({ queryKey: keys.sessions });
    await passed();
  };
  const { leave } = await mounted(() => {
    writing = useWriting("s", "");
    title = useSession("s").data?.title;
    useWhenGone("s", writing.forget);
  }, {});
  await written("a draft");
  await writing.add([new File(["x"], "a.png", { type: "image/png" })]);
  await readAgain();
  expect([title, writing.draft, writing.pictures.length]).toEqual(["My diagnosis", "a draft", 1]);
  isThere = false;
  await readAgain();
  expect([title, stored()]).toEqual([undefined, "a draft"]); // had it been deleted, we would leave it with this
  await vi.waitFor(() => expect([writing.isEmpty, stored()]).toEqual([true, null]), 3_000);
  await written("new words");
  await readAgain();
  expect(writing.draft).toBe("new words");
  await leave();
});
