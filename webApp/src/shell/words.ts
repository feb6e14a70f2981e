export const shell = {
  brand: "Remembering chat",
  loading: "Loading",
  retry: "Try again",
  retryIn: (seconds: number) =>
    `Try again in ${seconds <= 120 ? `${seconds} s` : seconds <= 7200 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3600)} h`}`,
  close: "Close",
  cancel: "Cancel",
  undo: "Undo",
  dismiss: "Dismiss",
  menu: "Menu",
  pages: "Pages",
  skip: "Skip to the content",
  lightTheme: "Light theme",
  darkTheme: "Dark theme",
  notFound: "There is no such page.",
  backToChat: "Back to the chat",
} as const;

export const nav = {
  chat: "Chat",
  memory: "Memory",
  notes: "Notes",
  graph: "Graph",
  knowledge: "Documents",
  usage: "Usage",
  account: "Account",
} as const;

export const errors = {
  offline: "The server cannot be reached. Check your connection.",
  server: "The server had a problem. Try again in a moment.",
  unexpected: "Something unexpected happened.",
  interrupted: "The answer was interrupted. Try again to go on.",
  signedOut: "You are signed out.",
  notRenewed: "Your sign-in has ended, and could not be renewed. What you wrote is kept.",
  crashed: "This page broke. Reload it to go on; nothing that you said is lost.",
} as const;
