import { expect, test } from "vitest";
import { piecesOf } from "./found";

const marked = (text: string, q: string) => piecesOf(text, q).map((each) => (each.isMatch ? `[${each.text}]` : each.text)).join("");

test("the beginnings of words are marked, however they are written", () => {
  expect(marked("Peanuts, and peanut butter", "peanut")).toBe("[Peanut]s, and [peanut] butter");
  expect(marked("An appeal for peas", "pea")).toBe("An appeal for [pea]s");
  expect(marked("Größe und Maß", "maß grö")).toBe("[Grö]ße und [Maß]");
});

test("signs in a search are no pattern", () => {
  expect(marked("a (b) c", "(b) [")).toBe("a ([b]) c");
  expect(marked("a+b", "+")).toBe("a+b");
  expect(marked("nothing here", "else")).toBe("nothing here");
});
