/** The pictures of the message that is being written: they wait for it, and for its writer, as its words do; those of one
 * that was sent, until the server has taken it. */
import type { FileUIPart } from "ai";
import { useCallback, useEffect, useMemo, useRef } from "react";
import { create } from "zustand";
import { whenDropped } from "../shell/forget";
import { keepLarge, keptLarge } from "../shell/large";
import { toast } from "../shell/toasts";
import { asPart, bytesOf, choose } from "./pictures";
import { draftKey } from "./useDraft";

const NONE: FileUIPart[] = [];
const sentKey = (key: string) => `${key}_sent`;

/** Beyond the component: a conversation that is read anew is drawn anew. */
const useAttached = create<Record<string, FileUIPart[]>>(() => ({}));
useAttached.subscribe((now, before) => {
  const changed = Object.keys({ ...before, ...now }).filter((key) => now[key] !== before[key]);
  changed.forEach((key) => void keepLarge(key, now[key]?.length ? now[key] : null));
});
let drops = 0;
whenDropped((isTheirs) => {
  drops += 1;
  useAttached.setState((attached) => Object.fromEntries(Object.entries(attached).filter(([name]) => !isTheirs(name))), true);
});

/** What waited for a message when the page was closed, or was on its way; unless it has arrived, and was `said`. */
async function bring(key: string, said: FileUIPart[]): Promise<void> {
  if (useAttached.getState()[key]) return;
  const dropped = drops;
  const [sent, waiting] = (await Promise.all([sentKey(key), key].map(keptLarge))) as (FileUIPart[] | undefined)[];
  const found = [...(sent && !areSame(sent, said) ? sent : NONE), ...(waiting ?? NONE)];
  if (!(sent ?? waiting) || dropped !== drops || useAttached.getState()[key]) return;
  useAttached.setState({ [key]: found, [sentKey(key)]: NONE });
}

const areSame = (some: FileUIPart[], others: FileUIPart[]): boolean =>
  some.length === others.length && some.every(({ url }, place) => url === others[place]?.url);

/** `said`: those of the last question. */
export function usePictures(sessionId: string, said: FileUIPart[] = NONE) {
  const key = useMemo(() => draftKey(sessionId), [sessionId]); // of who began it
  const pictures = useAttached((attached) => attached[key] ?? NONE);
  const begun = useRef(said);
  useEffect(() => void bring(key, begun.current), [key]);
  const change = useCallback(
    (by: (there: FileUIPart[]) => FileUIPart[]) => useAttached.setState((attached) => ({ [key]: by(attached[key] ?? NONE) })),
    [key],
  );
  const add = useCallback(
    async (files: File[]) => {
      const bytes = pictures.reduce((sum, each) => sum + bytesOf(each.url), 0);
      const { taken, refused } = choose(files, { count: pictures.length, bytes });
      refused.forEach((sentence) => toast(sentence));
      const parts = await Promise.all(taken.map(asPart));
      change((there) => [...there, ...parts]);
    },
    [pictures, change],
  );
  const remove = useCallback((place: number) => change((there) => there.filter((_, each) => each !== place)), [change]);
  const clear = useCallback(() => change(() => NONE), [change]);
  const send = useCallback(
    () => useAttached.setState((attached) => ({ [key]: NONE, [sentKey(key)]: attached[key] ?? NONE })),
    [key],
  );
  /** What came of it: those that were refused stand before those that were attached meanwhile. */
  const settle = useCallback(
    (wasTaken: boolean) => {
      const sent = useAttached.getState()[sentKey(key)] ?? NONE;
      useAttached.setState({ [sentKey(key)]: NONE });
      if (!wasTaken) change((there) => [...sent, ...there]);
    },
    [key, change],
  );
  return { pictures, add, remove, clear, send, settle };
}

/** What was attached to one message waits for another. */
export function movePictures(from: string, to: string): boolean {
  const { [draftKey(from)]: moved = NONE, ...rest } = useAttached.getState();
  if (moved.length > 0) useAttached.setState({ ...rest, [draftKey(to)]: [...(rest[draftKey(to)] ?? NONE), ...moved] }, true);
  return moved.length > 0;
}
