/** The message that is being written: its words and its pictures, which come back when the server does not take them. */
import type { FileUIPart } from "ai";
import { useCallback, useRef } from "react";
import { useDraft } from "./useDraft";
import { usePictures } from "./usePictures";

/** Whether the server has taken it. */
export type Say = (text: string, files: FileUIPart[]) => Promise<boolean>;

/** `said`: the last question, and its pictures: what was sent may have arrived while nobody looked. */
export function useWriting(sessionId: string, said: string, saidPictures?: FileUIPart[]) {
  const words = useDraft(sessionId, said);
  const { pictures, add, remove, clear, send: sendPictures, settle } = usePictures(sessionId, saidPictures);
  const text = words.draft.trim();
  const isUnsettled = useRef(false);
  const send = async (say: Say): Promise<void> => {
    if (isUnsettled.current) return; // one at a time: what is refused comes back
    isUnsettled.current = true;
    words.send();
    sendPictures();
    const wasTaken = await say(text, pictures);
    isUnsettled.current = false;
    words.settle(wasTaken);
    settle(wasTaken);
  };
  const { draft, write, add: addWords, forget: forgetWords } = words;
  const forget = useCallback(() => {
    forgetWords();
    clear();
  }, [forgetWords, clear]);
  /** Another way than ours has brought it to the server. */
  const drop = (said: string) => said === text && forget();
  return { draft, write, addWords, drop, pictures, add, remove, isEmpty: !text && pictures.length === 0, send, forget };
}
