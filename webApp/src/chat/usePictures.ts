/** The pictures of the message that is being written: they wait for it, per session, until the page is closed. */
import type { FileUIPart } from "ai";
import { useCallback } from "react";
import { create } from "zustand";
import { whenForgotten } from "../shell/forget";
import { toast } from "../shell/toasts";
import { asPart, bytesOf, choose } from "./pictures";

const NONE: FileUIPart[] = [];

/** Beyond the component: a conversation that is read anew is drawn anew. */
const useAttached = create<Record<string, FileUIPart[]>>(() => ({}));
whenForgotten(() => useAttached.setState({}, true));

export function usePictures(sessionId: string) {
  const pictures = useAttached((attached) => attached[sessionId] ?? NONE);
  const change = useCallback(
    (by: (there: FileUIPart[]) => FileUIPart[]) => useAttached.setState((attached) => ({ [sessionId]: by(attached[sessionId] ?? NONE) })),
    [sessionId],
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
  const giveBack = useCallback((files: FileUIPart[]) => change((there) => [...files, ...there]), [change]);
  return { pictures, add, remove, clear, giveBack };
}
