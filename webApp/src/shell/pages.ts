/** The pages and their addresses; each is loaded when it is first opened. chatServer/api/web_page.py knows the same paths. */
import { lazy, type ComponentType } from "react";
import { strings } from "../strings";
import { BookIcon, ChartIcon, ChatIcon, GraphIcon, MemoryIcon, NotesIcon, PersonIcon } from "./icons";

interface PageEntry {
  path: string;
  name: string;
  icon: ComponentType<{ size?: number }>;
  page: ComponentType;
}

const names = strings.nav;

export const pages: PageEntry[] = [
  { path: "/", name: names.chat, icon: ChatIcon, page: lazy(() => import("../chat/ChatPage")) },
  { path: "/memory", name: names.memory, icon: MemoryIcon, page: lazy(() => import("../memory/MemoryPage")) },
  { path: "/notes", name: names.notes, icon: NotesIcon, page: lazy(() => import("../memory/NotesPage")) },
  { path: "/graph", name: names.graph, icon: GraphIcon, page: lazy(() => import("../memory/GraphPage")) },
  { path: "/knowledge", name: names.knowledge, icon: BookIcon, page: lazy(() => import("../knowledge/KnowledgePage")) },
  { path: "/usage", name: names.usage, icon: ChartIcon, page: lazy(() => import("../usage/UsagePage")) },
  { path: "/account", name: names.account, icon: PersonIcon, page: lazy(() => import("../account/AccountPage")) },
];
