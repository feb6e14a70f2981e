// @vitest-environment jsdom
import { expect, test } from "vitest";
import { forgetHere } from "./erase";

test("what was written here goes, and the sign-in and the theme stay", () => {
  for (const name of ["chatSession_u_a", "chatDraft_s", "notesDraft_u_a", "chatAgent_u", "chatSignIn", "theme"]) localStorage.setItem(name, "x");
  forgetHere(localStorage);
  expect(Object.keys(localStorage).sort()).toEqual(["chatSignIn", "theme"]);
});
