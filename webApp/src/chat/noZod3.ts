/** Stands in for "zod/v3" (vite.config.ts), which the AI SDK reads one enum of, to describe tools of old; we have none,
 * and the whole of it would be 10 kB of the first load. */
export const ZodFirstPartyTypeKind: Record<string, string> = {};
