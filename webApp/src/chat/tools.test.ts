import { expect, test } from "vitest";
import { askedOf, foundBy, toolName } from "./tools";

test("a tool is called what it does, also one that we do not know", () => {
  expect(toolName("retrieve_context")).toBe("Looked into documents");
  expect(toolName("search_the-web")).toBe("Search the web");
  expect(toolName("_")).toBe("_");
  expect(toolName("constructor")).toBe("Constructor");
});

test("nothing is said to be forgotten before it is", () => {
  expect(toolName("forget_memories", "Forgotten:\n- The user lives in Rome.\nThe user can undo that, under these ids: x")).toBe("Forgot");
  for (const output of [undefined, "Nothing that is remembered says that."]) {
    expect(toolName("forget_memories", output)).toBe("Looked for what to forget");
  }
});

test("the notes are said to be read, changed or deleted, once they are", () => {
  const named = (operation?: string, output?: unknown) => toolName("manage_long_term_memory", output, operation && { operation });
  expect(named("read", "There are no notes yet.")).toBe("Looked into the notes");
  expect(named("append", "Done.")).toBe("Took a note");
  expect(named("delete_all_notes", "Done.")).toBe("Deleted the notes");
  for (const name of [named("append"), named(undefined, "Done."), named("constructor", "Done.")]) expect(name).toBe("Notes");
});

test("what was asked is told as text, and nothing where there is none", () => {
  expect(askedOf("retrieve_context", { query: "the  filter\nof the Z3", top_k: 3 })).toBe("the filter of the Z3");
  expect(askedOf("manage_long_term_memory", { operation: "append", content: "- Tea" })).toBe("- Tea");
  expect(askedOf("forget_memories", { what: "Rome" })).toBe("Rome");
  expect(askedOf("search", { query: "x".repeat(300) })).toHaveLength(201);
  for (const input of [undefined, null, "query", { query: " " }, { query: 3 }, {}]) expect(askedOf("search", input)).toBeNull();
});

test("the documents that were found are named once each", () => {
  const output = "Read in the articles, whose text is not kept here:\n\n<sources>\n- Manual, z3.md\n- Hours\n- Manual, z3.md\n</sources>";
  expect(foundBy("retrieve_context", output)).toEqual(["Manual, z3.md", "Hours"]);
  expect(foundBy("retrieve_context", "Nothing in the articles bears on that.")).toEqual([]);
  expect(foundBy("search", output)).toBeNull();
});
