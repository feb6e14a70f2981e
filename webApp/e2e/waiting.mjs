// Waiting, in one place: for what the page itself does not show.
import assert from "node:assert/strict";

export const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Asks again and again until it is so; half a minute, for machines that stall. */
export async function until(isSo, what) {
  const end = Date.now() + 30_000;
  while (!(await isSo())) {
    assert.ok(Date.now() < end, what);
    await wait(100);
  }
}
