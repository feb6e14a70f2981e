import { expect, test } from "vitest";
import { fileName, spokenSize } from "./files";

test.each([
  [0, "0 bytes"],
  [999, "999 bytes"],
  [1_000, "1.0 kB"],
  [123_456, "123 kB"],
  [50_000_000, "50.0 MB"],
  [7e12, "7000 GB"],
])("%d is said as %s", (bytes, said) => {
  expect(spokenSize(bytes)).toBe(said);
});

test("a file says what it is and of which day", () => {
  expect(fileName("export", new Date("2026-11-15T10:00:00Z"))).toBe("chat-export-2026-11-15.json");
});
