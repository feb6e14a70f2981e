/** Server-sent events as records: what `EventSource` would do, had it a way to send our token. */

export interface LiveEvent {
  id: string;
  type: string;
  data: Record<string, unknown>;
}

const LONGEST = 1_000_000; // characters of one event; ours have a few hundred

/** Takes text as it comes, cut anywhere, and gives the events that are whole. */
export class EventReader {
  private waiting = "";
  private lines: string[] = [];
  private size = 0;
  private id = "";

  take(text: string): LiveEvent[] {
    const lines = (this.waiting + text).split(/\r\n|\n|\r(?!$)/); // a \r at the very end may be half of \r\n
    this.waiting = lines.pop() ?? "";
    if (this.waiting.length > LONGEST) throw new RangeError("an event without end");
    return lines.flatMap((line) => this.line(line));
  }

  private line(line: string): LiveEvent[] {
    if (line !== "") {
      this.size += line.length;
      if (this.size > LONGEST) throw new RangeError("an event without end");
      if (!line.startsWith(":")) this.lines.push(line);
      else this.size -= line.length;
      return [];
    }
    const lines = this.lines;
    this.lines = [];
    this.size = 0;
    return lines.length ? this.eventOf(lines) : [];
  }

  private eventOf(lines: string[]): LiveEvent[] {
    let type = "message";
    const data: string[] = [];
    for (const line of lines) {
      const [name, value] = fieldOf(line);
      if (name === "id") this.id = value;
      else if (name === "event") type = value;
      else if (name === "data") data.push(value);
    }
    const parsed = recordOf(data.join("\n"));
    return parsed ? [{ id: this.id, type, data: parsed }] : [];
  }
}

function fieldOf(line: string): [string, string] {
  const colon = line.indexOf(":");
  if (colon < 0) return [line, ""];
  return [line.slice(0, colon), line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1)];
}

/** What is no JSON object is none of ours. */
function recordOf(text: string): Record<string, unknown> | null {
  try {
    const found: unknown = JSON.parse(text);
    return typeof found === "object" && found !== null && !Array.isArray(found) ? (found as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** Whether an event comes after the one that was seen last; numbers without end, so not as Numbers. */
export function isAfter(id: string, seen: string | null): boolean {
  if (seen === null) return true;
  return id.length === seen.length ? id > seen : id.length > seen.length;
}
