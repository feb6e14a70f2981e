import { expect, test } from "vitest";
import { isUnanswered, withOlder, withPage } from "./history";
import { textOf, type ChatMessage } from "./message";
import { bodyOf } from "./transport";

const said = (id: string, role: "user" | "assistant" = "user", metadata?: ChatMessage["metadata"]): ChatMessage => ({
  id,
  role,
  parts: [{ type: "text", text: `text of ${id}` }],
  metadata,
});

test("older messages come in front, none twice", () => {
  const shown = [said("b"), said("c", "assistant")];
  expect(withOlder([said("a"), said("b")], shown).map((each) => each.id)).toEqual(["a", "b", "c"]);
});

test("a question without an answer is unanswered, nothing at all is not", () => {
  expect(isUnanswered([said("a")])).toBe(true);
  expect(isUnanswered([said("a"), said("b", "assistant")])).toBe(false);
  expect(isUnanswered([])).toBe(false);
});

test("only the last message is sent, without what is ours", () => {
  const messages = [said("a"), said("b", "assistant"), said("c", "user", { created_at: "2026" })];
  expect(bodyOf({ id: "s", messages, trigger: "submit-message" }, "coder")).toEqual({
    id: "s",
    agent_name: "coder",
    trigger: "submit-message",
    message: { id: "c", role: "user", parts: [{ type: "text", text: "text of c" }] },
  });
});

test("an edit names its message", () => {
  const body = bodyOf({ id: "s", messages: [said("a")], trigger: "submit-message", messageId: "a" }, "x");
  expect(body).toMatchObject({ message: { id: "a" }, messageId: "a" });
});

test("an answer anew brings no messages", () => {
  const body = bodyOf({ id: "s", messages: [said("a")], trigger: "regenerate-message", messageId: "b" }, "x");
  expect(body).toEqual({ id: "s", agent_name: "x", trigger: "regenerate-message", messageId: "b" });
});

test("the text of a message is that of its text parts", () => {
  const parts: ChatMessage["parts"] = [
    { type: "reasoning", text: "hm" },
    { type: "text", text: "one" },
    { type: "text", text: "two" },
  ];
  expect(textOf({ id: "a", role: "assistant", parts })).toBe("one\n\ntwo");
});

test("a page takes the place of what it covers, also of what has another id here", () => {
  const list = (ids: string) => [...ids].map((id) => said(id));
  const met = (page: string, shown: string) => withPage(list(page), list(shown))?.map(({ id }) => id).join("") ?? null;
  expect(met("QaRb", "qarb")).toBe("QaRb"); // said here: questions have ids of their own until they are read
  expect(met("RbSc", "qarbscTd")).toBe("qaRbScTd");
  expect(met("QaRb", "rbsc")).toBe("QaRbsc");
  expect(met("RbS", "qarbsc")).toBe("qaRbSc");
  expect(met("QuRb", "qrbsc")).toBe("QuRbsc"); // an answer that failed before its first word is only there
  expect(met("xy", "ab")).toBe(null);
});
