import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { asApiError } from "../api/errors";
import { toast } from "../shell/toasts";
import { strings } from "../strings";
import { forget, markWrong, passOver, showAgain, undo } from "./changes";

export type Fate = "there" | "wrong" | "forgotten" | "takenBack" | "passedOver";

const HOW = { wrong: markWrong, forgotten: forget, takenBack: undo, passedOver: passOver } as const;

export const FATES = {
  wrong: strings.memory.markedWrong,
  forgotten: strings.memory.forgotten,
  takenBack: strings.memory.takenBack,
  passedOver: strings.memory.passedOver,
} as const;

/** What the user has done here to one memory, and the way back: it stays in its place until he has seen both. */
export function useFate(id: string) {
  const [fate, setFate] = useState<Fate>("there");
  const { mutate, isPending } = useMutation({
    mutationFn: async (next: Fate) => {
      if (next !== "there") await HOW[next](id);
      else await (fate === "passedOver" ? showAgain(id) : undo(id));
    },
    onSuccess: (_, next) => setFate(next),
    onError: (error) => toast(asApiError(error).detail),
  });
  return { fate, isPending, become: mutate };
}
