/** What of a memory's history matters to who looks at it now; changes are the newest first. */
import type { WholeMemory } from "../api/types";

type Change = WholeMemory["changes"][number];

const STAYS = ["repeated", "restored"]; // nothing that an undo would take back

/** What an undo would take back. */
export const lastChange = (changes: readonly Change[]): Change | undefined =>
  changes.find((each) => !each.undone && !STAYS.includes(each.operation));

/** When the user himself has last put it right, if he has. */
export const correctionOf = (changes: readonly Change[]): Change | undefined =>
  changes.find((each) => !each.undone && each.operation === "edited" && each.actor === "user");
