import { expect, test } from "vitest";
import { EventReader, isAfter } from "./eventStream";

const STREAM = 'id: 9\nevent: hello\ndata: {}\n\n: nothing new\n\nid: 10\r\nevent: title\r\ndata: {"title":\r\ndata: "Ö: x"}\r\n\r\n';
const HEARD = [
  { id: "9", type: "hello", data: {} },
  { id: "10", type: "title", data: { title: "Ö: x" } },
];

test("events are read however the text is cut", () => {
  for (let size = 1; size <= STREAM.length; size++) {
    const reader = new EventReader();
    const heard = [];
    for (let at = 0; at < STREAM.length; at += size) heard.push(...reader.take(STREAM.slice(at, at + size)));
    expect(heard, `in pieces of ${size}`).toEqual(HEARD);
  }
});

test("what is not ours is passed over, and the rest goes on", () => {
  const reader = new EventReader();
  const heard = reader.take("data: no json\n\ndata: [1]\n\nevent\ndata\n\nretry: 5\n\nid: 3\nevent: turn\ndata:{}\n\n");
  expect(heard).toEqual([{ id: "3", type: "turn", data: {} }]);
});

test("half an event is not told", () => {
  expect(new EventReader().take("id: 1\nevent: turn\ndata: {}\n")).toEqual([]);
});

test("an event without end is refused, comments without end are not", () => {
  const reader = new EventReader();
  for (let i = 0; i < 30; i++) reader.take(`: ${"x".repeat(100_000)}\n`);
  expect(() => reader.take(`data: ${"x".repeat(1_100_000)}`)).toThrow(RangeError);
  const lines = new EventReader();
  expect(() => lines.take("data: 123456789\n".repeat(100_000))).toThrow(RangeError);
});

test("ids are compared as numbers", () => {
  expect(isAfter("10", "9")).toBe(true);
  expect(isAfter("9", "10")).toBe(false);
  expect(isAfter("10", "10")).toBe(false);
  expect(isAfter("1", null)).toBe(true);
});
