/** Light or dark: the system's, unless the user has chosen; public/theme.js reads the same key before the first paint. */
import { create } from "zustand";

type Theme = "light" | "dark";
export const THEME_KEY = "theme";

const wish = typeof matchMedia === "function" ? matchMedia("(prefers-color-scheme: dark)") : null;
const ofSystem = (): Theme => (wish?.matches ? "dark" : "light");
const chosen = (): Theme | null => {
  const value = document.documentElement.dataset.theme;
  return value === "light" || value === "dark" ? value : null;
};

interface ThemeState {
  theme: Theme;
  toggle: () => void;
}

export const useTheme = create<ThemeState>((set, get) => ({
  theme: chosen() ?? ofSystem(),
  toggle: () => {
    const theme = get().theme === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = theme;
    localStorage.setItem(THEME_KEY, theme);
    set({ theme });
  },
}));

wish?.addEventListener("change", () => chosen() ?? useTheme.setState({ theme: ofSystem() }));
