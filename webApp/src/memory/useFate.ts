import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { asApiError } from "../api/errors";
import { toast } from "../shell/toasts";
import { strings } from "../strings";
import { bringBack, edit, forget, markWrong, passOver, showAgain, undo } from "./changes";

export type Fate = "there" | "wrong" | "corrected" | "forgotten" | "takenBack" | "passedOver";

const HOW = { wrong: markWrong, forgotten: forget, takenBack: undo, passedOver: passOver } as const;

const TOLD = {
  wrong: strings.memory.markedWrong,
  forgotten: strings.memory.forgotten,
  takenBack: strings.memory.takenBack,
  passedOver: strings.memory.passedOver,
} as const;

/** What the user has done here to one memory, how he is told, and the way back: it stays in its place until he has seen both. */
export function useFate(id: string) {
  const [{ fate, right }, setState] = useState<{ fate: Fate; right: string }>({ fate: "there", right: "" });
  const { mutate, isPending } = useMutation({
    mutationFn: async ({ next, text }: { next: Fate; text?: string }) => {
      if (next === "corrected") await edit(id, { text, valid_to: null });
      else if (next !== "there") await HOW[next](id);
      else if (fate === "passedOver") await showAgain(id);
      else if (fate === "forgotten") await bringBack([id]);
      else await undo(id);
      if (next === "there" && fate === "corrected") await undo(id); // it was called wrong first
    },
    onSuccess: (_, { next, text = "" }) => setState({ fate: next, right: text }),
    onError: (error) => toast(asApiError(error).detail),
  });
  const told = fate === "there" ? "" : fate === "corrected" ? strings.memory.corrected(right) : TOLD[fate];
  return { fate, told, isPending, become: (next: Fate, text?: string) => mutate({ next, text }) };
}
