import { expect, test } from "vitest";
import type { ChatMessage } from "./message";
import { withNewest } from "./useOthers";

const list = (ids: string) => [...ids].map((id) => ({ id, role: "user", parts: [] }) as ChatMessage);
const merged = (shown: string, newest: string) => withNewest(list(shown), list(newest)).map((each) => each.id).join("");

test("older pages stay, what was replaced goes, what is new comes", () => {
  expect(merged("abcd", "cdef")).toBe("abcdef");
  expect(merged("abcd", "cX")).toBe("abcX");
  expect(merged("ab", "abcd")).toBe("abcd");
  expect(merged("", "ab")).toBe("ab");
  expect(merged("ab", "")).toBe("");
});
