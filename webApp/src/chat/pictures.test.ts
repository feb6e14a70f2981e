// @vitest-environment jsdom
import { expect, test } from "vitest";
import { isSend } from "./GrowingText";
import { asPart, bytesOf, choose } from "./pictures";

const file = (name: string, type: string, size: number) => new File([new Uint8Array(size)], name, { type });
const none = { count: 0, bytes: 0 };

test("pictures are taken, all else is refused with a sentence", () => {
  const { taken, refused } = choose([file("a.png", "image/png", 10), file("b.pdf", "application/pdf", 10)], none);
  expect(taken.map((each) => each.name)).toEqual(["a.png"]);
  expect(refused).toEqual(["b.pdf is no PNG, JPEG, GIF or WebP. Texts and PDFs can be added under Documents."]);
});

test("neither too large ones, nor too many, nor too much together", () => {
  expect(choose([file("a.png", "image/png", 5_000_001)], none).refused).toEqual(["a.png is larger than 5 MB."]);
  expect(choose([file("a.png", "image/png", 1)], { count: 10, bytes: 0 }).taken).toEqual([]);
  expect(choose([file("a.png", "image/png", 2_000_000)], { count: 1, bytes: 4_000_000 }).taken).toEqual([]);
});

test("a file becomes a part whose size is known", async () => {
  const part = await asPart(file("a.png", "image/png", 3_000));
  expect(part).toMatchObject({ type: "file", mediaType: "image/png", filename: "a.png" });
  expect(bytesOf(part.url)).toBe(3_000);
});

test("Enter sends, but not the one that ends a word of an input method", () => {
  const key = { key: "Enter", shiftKey: false, altKey: false, isComposing: false, keyCode: 13 };
  expect(isSend(key)).toBe(true);
  for (const other of [{ isComposing: true }, { keyCode: 229 }, { shiftKey: true }, { altKey: true }, { key: "a" }]) {
    expect(isSend({ ...key, ...other })).toBe(false);
  }
});
