/** Short words about what just happened, with a way to take it back. */
import { create } from "zustand";
import { whenForgotten } from "./forget";

export interface Toast {
  id: number;
  text: string;
  undo?: () => void;
}

const LASTS_MS = 5_000;
export const LASTS_WITH_UNDO_MS = 10_000;
let next = 1;

interface Toasts {
  toasts: Toast[];
  show: (text: string, undo?: () => void) => number;
  dismiss: (id: number) => void;
  clear: () => void;
}

export const useToasts = create<Toasts>((set, get) => ({
  toasts: [],
  show: (text, undo) => {
    const id = next++;
    set(({ toasts }) => ({ toasts: [...toasts.slice(-2), { id, text, undo }] }));
    setTimeout(() => get().dismiss(id), undo ? LASTS_WITH_UNDO_MS : LASTS_MS);
    return id;
  },
  dismiss: (id) => set(({ toasts }) => ({ toasts: toasts.filter((each) => each.id !== id) })),
  clear: () => set({ toasts: [] }),
}));

whenForgotten(() => useToasts.getState().clear());

export const toast = (text: string, undo?: () => void) => useToasts.getState().show(text, undo);
