import { RecordedEvent } from "./recorded-event.ts";

/** The most events in one run: a reader that starts in the middle of one unpacks no more than this. */
export const MAX_RUN_EVENTS = 256;
const MAX_RUN_CHARACTERS = 65_536;
const MAX_PAGE_CHARACTERS = 4 * 1_048_576;

/** Neighbouring events of a stream as one row of a table: what one flush adds to the stream, mostly. */
export interface EventRun {
  readonly last: number;
  /** When its first event was appended. */
  readonly at: number;
  /**
   * The first event's JSON; then for each further event a line `PREFIX,SUFFIX,MILLISECONDS:MIDDLE` that takes so many
   * characters from the start and the end of the event before it: neighbours are mostly alike.
   * JSON has no line breaks of its own.
   */
  readonly body: string;
}

/** Packs neighbouring events into as few runs as the limits allow. */
export function packRuns(events: readonly RecordedEvent[]): EventRun[] {
  const runs: EventRun[] = [];
  for (let start = 0; start < events.length; ) {
    const end = endOfRun(events, start);
    runs.push(packRun(events, start, end));
    start = end;
  }
  return runs;
}

/** The events of a run, each to the byte as it was packed. */
export function unpackRun({ last, at, body }: EventRun): RecordedEvent[] {
  const lines = body.split("\n");
  let index = last - lines.length;
  let previous: RecordedEvent | undefined;
  return lines.map((line) => {
    index++;
    previous = previous ? unpackLine(line, previous, index) : new RecordedEvent(index, at, line);
    return previous;
  });
}

/** Every run that a page of `limit` events after the index needs ends before this index, because indices have no gaps. */
export function pageEnd(after: number, limit: number): number {
  return after + limit + MAX_RUN_EVENTS;
}

/** Up to `limit` events after the index from these runs; a page of large events ends early. */
export function pageOf(runs: Iterable<EventRun>, after: number, limit: number): RecordedEvent[] {
  const events: RecordedEvent[] = [];
  let characters = 0;
  for (const run of runs) {
    for (const event of unpackRun(run)) {
      if (event.index <= after) continue;
      if (events.length >= limit || characters > MAX_PAGE_CHARACTERS) return events;
      events.push(event);
      characters += event.json.length;
    }
  }
  return events;
}

/** The run without its events up to the index; undefined if it has none of these. */
export function withoutStart(run: EventRun, index: number): EventRun | undefined {
  const events = unpackRun(run);
  const kept = events.filter((event) => event.index > index);
  return kept.length === events.length ? undefined : packRun(kept, 0, kept.length);
}

function endOfRun(events: readonly RecordedEvent[], start: number): number {
  let end = start;
  for (let characters = 0; end < events.length && end < start + MAX_RUN_EVENTS; end++) {
    characters += events[end]?.json.length ?? 0;
    if (end > start && characters > MAX_RUN_CHARACTERS) break;
  }
  return end;
}

function packRun(events: readonly RecordedEvent[], start: number, end: number): EventRun {
  const [first] = events.slice(start, start + 1) as [RecordedEvent];
  let body = first.json;
  let previous = first;
  let likeness: Likeness = { prefix: "", suffix: "" };
  for (let position = start + 1; position < end; position++) {
    const event = events[position] as RecordedEvent;
    likeness = stillAlike(likeness, previous.json, event.json) ?? compare(previous.json, event.json);
    const { prefix, suffix } = likeness;
    const middle = event.json.slice(prefix.length, event.json.length - suffix.length);
    body += `\n${prefix.length},${suffix.length},${event.at - previous.at}:${middle}`;
    previous = event;
  }
  return { last: previous.index, at: first.at, body };
}

function unpackLine(line: string, { json, at }: RecordedEvent, index: number): RecordedEvent {
  const colon = line.indexOf(":");
  const [prefix = 0, suffix = 0, later = 0] = line.slice(0, colon).split(",").map(Number);
  const text = json.slice(0, prefix) + line.slice(colon + 1) + json.slice(json.length - suffix);
  return new RecordedEvent(index, at + later, text);
}

/** What two neighbours begin and end with. */
interface Likeness {
  readonly prefix: string;
  readonly suffix: string;
}

// Pieces of one artifact share the same prefix and suffix again and again, which is quicker to check than to find.
function stillAlike(likeness: Likeness, previous: string, next: string): Likeness | undefined {
  const { prefix, suffix } = likeness;
  const alike = prefix.length + suffix.length;
  // If much differs, a new comparison may find more in common.
  if (previous.length < alike || next.length < alike || alike < next.length / 2) return undefined;
  // Equality compares in blocks of memory, where `startsWith` goes character by character.
  const same = next.slice(0, prefix.length) === prefix && next.slice(next.length - suffix.length) === suffix;
  return same ? likeness : undefined;
}

function compare(previous: string, next: string): Likeness {
  const most = Math.min(previous.length, next.length);
  let start = 0;
  while (start < most && previous.charCodeAt(start) === next.charCodeAt(start)) start++;
  // A surrogate pair must not be split: alone its halves are not UTF-8.
  if (start > 0 && isHighSurrogate(next.charCodeAt(start - 1))) start--;
  let end = 0;
  const rest = most - start;
  while (
    end < rest &&
    previous.charCodeAt(previous.length - 1 - end) === next.charCodeAt(next.length - 1 - end)
  )
    end++;
  if (end > 0 && isLowSurrogate(next.charCodeAt(next.length - end))) end--;
  return { prefix: next.slice(0, start), suffix: end === 0 ? "" : next.slice(-end) };
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
