import { expect, test } from "vitest";
import type { WholeMemory } from "../api/types";
import { correctionOf, lastChange } from "./history";

const change = (operation: string, actor = "rules", undone = false) =>
  ({ operation, actor, undone, reason: null, message_id: null, turn_id: null, created_at: operation }) as WholeMemory["changes"][number];

test("an undo takes back the last change that stands, and not that something was said again", () => {
  const changes = [change("restored", "user"), change("edited", "user", true), change("repeated"), change("created")];
  expect(lastChange(changes)?.operation).toBe("created");
  expect(lastChange([change("edited", "user"), ...changes])?.operation).toBe("edited");
  expect(lastChange([change("created", "user", true)])).toBeUndefined();
});

test("only the user corrects, and only while that stands", () => {
  expect(correctionOf([change("edited", "user"), change("created")])?.created_at).toBe("edited");
  expect(correctionOf([change("edited", "user", true), change("superseded"), change("created", "user")])).toBeUndefined();
});
