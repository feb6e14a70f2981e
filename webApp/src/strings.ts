import { account } from "./account/words";
import { auth } from "./auth/words";
import { chat } from "./chat/words";
import { context } from "./context/words";
import { knowledge } from "./knowledge/words";
import { graph } from "./memory/graphWords";
import { notes } from "./memory/notesWords";
import { memory } from "./memory/words";
import { session, sessions } from "./sessions/words";
import { errors, nav, shell } from "./shell/words";
import { usage } from "./usage/words";

/** Every word that people read, each folder's in its words.ts. Sentences with a gap are functions. */
export const strings = {
  shell,
  nav,
  errors,
  auth,
  session,
  chat,
  sessions,
  memory,
  notes,
  graph,
  knowledge,
  context,
  usage,
  account,
};
