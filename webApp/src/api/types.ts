/** The server's records under short names, as its OpenAPI description has them. */
import type { components } from "./schema";

type Schemas = components["schemas"];

export type Agent = Schemas["AgentAnswer"];
export type Article = Schemas["ArticleAnswer"];
export type Audit = Schemas["AuditAnswer"];
export type Graph = Schemas["GraphAnswer"];
export type Memory = Schemas["MemoryAnswer"];
export type Notes = Schemas["NotesAnswer"];
export type NotesVersion = Schemas["VersionAnswer"];
export type Preview = Schemas["PreviewAnswer"];
export type Session = Schemas["ListedSessionAnswer"];
export type Usage = Schemas["UsageAnswer"];
export type WholeMemory = Schemas["WholeMemoryAnswer"];
