/** What was deleted and can still be taken back: hidden at once, in all tabs, and deleted on the server when its time is
 * over. The browser keeps the list, so that closing the tab in between does not bring anything back. */
import { create } from "zustand";
import { authorizedFetch } from "../api/client";
import { asApiError } from "../api/errors";
import { keep, kept } from "../session/hints";
import { beforeForgotten, whenForgotten } from "./forget";
import { LASTS_WITH_UNDO_MS, toast, useToasts } from "./toasts";

const OTHERS_LATER_MS = 5_000; // the tab where it was deleted goes first
const AGAIN_MS = 30_000;
const KEPT_MS = 60_000; // long enough for every tab to have read its lists anew

interface Deletion {
  dueAt: number;
  isDone?: boolean;
}
type Deletions = Readonly<Record<string, Deletion>>;

/** By the address that is deleted. */
export const useDeletions = create<{ waiting: Deletions }>(() => ({ waiting: {} }));
export const useIsDeleted = (): ((address: string) => boolean) => {
  const waiting = useDeletions((state) => state.waiting);
  return (address) => address in waiting;
};

let key: string | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;
const mine = new Map<string, () => void>(); // of this tab, and how it says that one was called off
const underWay = new Set<string>();

/** Hides what is at this address and deletes it soon, unless the user takes it back, or it is called off: then `saidOff` is said. */
export function deleteSoon(address: string, said: string, onUndo?: () => void, saidOff?: string): void {
  const shown = toast(said, () => {
    if (useDeletions.getState().waiting[address]?.isDone) return;
    drop(address);
    onUndo?.();
  });
  mine.set(address, () => {
    useToasts.getState().dismiss(shown);
    if (saidOff) toast(saidOff);
  });
  change((waiting) => ({ ...waiting, [address]: { dueAt: Date.now() + LASTS_WITH_UNDO_MS } }));
}

/** What is at this address is in use, and stays; not when the server was told already. */
export function callOff(address: string): void {
  const { [address]: found } = useDeletions.getState().waiting;
  const say = mine.get(address); // also when another tab was faster
  if (found?.isDone || underWay.has(address) || !(found || say)) return;
  drop(address);
  say?.();
}

/** Goes on with what this user's tabs have left undone; returns how to stop. */
export function keepDeleting(userId: string): () => void {
  key = `chatDeletions_${userId}`;
  const read = () => set(stored());
  const heard = (event: StorageEvent) => event.key === key && read();
  const leaving = () => pending().forEach(([address]) => mine.has(address) && void send(address, true).catch(() => undefined));
  addEventListener("storage", heard);
  addEventListener("pagehide", leaving);
  read();
  return () => {
    removeEventListener("storage", heard);
    removeEventListener("pagehide", leaving);
    clearTimeout(timer);
    key = null;
  };
}

const pending = () => Object.entries(useDeletions.getState().waiting).filter(([, { isDone }]) => !isDone);

function drop(address: string): void {
  mine.delete(address);
  change(({ [address]: _, ...others }) => others);
}

function stored(): Deletions {
  try {
    const found = JSON.parse((key && kept(key)) ?? "{}") as Deletions;
    return Object.fromEntries(Object.entries(found).filter(([, { dueAt, isDone }]) => !isDone || dueAt > Date.now() - KEPT_MS));
  } catch {
    return {};
  }
}

function change(by: (waiting: Deletions) => Deletions): void {
  const changed = by(key ? stored() : useDeletions.getState().waiting);
  if (key) keep(key, Object.keys(changed).length ? JSON.stringify(changed) : null);
  set(changed);
}

/** What is gone stays hidden here until the page is loaded anew: lists may still have it for a moment. */
function set(waiting: Deletions): void {
  const done = Object.entries(useDeletions.getState().waiting).filter(([, { isDone }]) => isDone);
  useDeletions.setState({ waiting: { ...Object.fromEntries(done), ...waiting } });
  clearTimeout(timer);
  const next = Math.min(...pending().map(([address, { dueAt }]) => dueAt + (mine.has(address) ? 0 : OTHERS_LATER_MS)));
  if (Number.isFinite(next)) timer = setTimeout(() => void work(), Math.max(0, next - Date.now()));
}

async function work(): Promise<void> {
  const late = (address: string) => (mine.has(address) ? 0 : OTHERS_LATER_MS);
  const due = pending().filter(([address, { dueAt }]) => dueAt + late(address) <= Date.now());
  await Promise.all(due.map(([address]) => carryOut(address)));
}

async function carryOut(address: string): Promise<void> {
  const mark = (entry: Deletion) => change((waiting) => ({ ...waiting, [address]: entry }));
  underWay.add(address);
  try {
    await send(address, false);
    mark({ dueAt: Date.now(), isDone: true });
  } catch (failure) {
    const { status, detail } = asApiError(failure);
    if (status === 404) mark({ dueAt: Date.now(), isDone: true });
    else if (status <= 0 || status >= 500 || status === 429 || status === 401) mark({ dueAt: Date.now() + AGAIN_MS });
    else {
      drop(address);
      toast(detail);
    }
  } finally {
    underWay.delete(address);
  }
}

const send = (address: string, keepalive: boolean) => authorizedFetch(address, { method: "DELETE", keepalive });

beforeForgotten(async () => void (await Promise.all(pending().map(([address]) => carryOut(address)))));
whenForgotten(() => {
  clearTimeout(timer);
  mine.clear();
  useDeletions.setState({ waiting: {} });
});
