/** The pictures of the message that is being written. */
import type { FileUIPart } from "ai";
import { useCallback, useState } from "react";
import { toast } from "../shell/toasts";
import { asPart, bytesOf, choose } from "./pictures";

export function usePictures() {
  const [pictures, setPictures] = useState<FileUIPart[]>([]);
  const add = useCallback(
    async (files: File[]) => {
      const bytes = pictures.reduce((sum, each) => sum + bytesOf(each.url), 0);
      const { taken, refused } = choose(files, { count: pictures.length, bytes });
      refused.forEach((sentence) => toast(sentence));
      const parts = await Promise.all(taken.map(asPart));
      setPictures((there) => [...there, ...parts]);
    },
    [pictures],
  );
  const remove = useCallback((place: number) => setPictures((there) => there.filter((_, each) => each !== place)), []);
  const clear = useCallback(() => setPictures([]), []);
  const giveBack = useCallback((files: FileUIPart[]) => setPictures((there) => [...files, ...there]), []);
  return { pictures, add, remove, clear, giveBack };
}
