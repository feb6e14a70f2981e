/** Files that go to the user's disk, and how large they are. */
const UNITS = ["bytes", "kB", "MB", "GB"];

export function spokenSize(bytes: number): string {
  const step = Math.min(UNITS.length - 1, bytes < 1_000 ? 0 : Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1_000 ** step;
  return `${step === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[step]}`;
}

export const fileName = (what: string, now = new Date()): string => `chat-${what}-${now.toISOString().slice(0, 10)}.json`;

/** Hands it to the browser, as if it were a link that was clicked. */
export function download(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000); // some browsers begin to read it later
}

export const asFile = (value: unknown): Blob => new Blob([JSON.stringify(value, null, 1)], { type: "application/json" });
