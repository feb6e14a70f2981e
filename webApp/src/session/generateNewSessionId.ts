/** A session id of our own making; the server takes any UUID that the user does not have yet. */
export function generateNewSessionId(): string {
  if (typeof crypto.randomUUID === "function") return crypto.randomUUID();
  // Pages that came over plain HTTP from another machine have no randomUUID.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = [...bytes].map((each) => each.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
