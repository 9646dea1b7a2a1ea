import { JournalError } from "../errors.ts";
import type { RecordedEvent } from "../events/recorded-event.ts";
import type { Journal } from "../journal.ts";
import type { Projection } from "../projection.ts";
import type { JournalOptions } from "../stored-journal.ts";

interface FixtureOptions extends JournalOptions {
  readonly projections?: readonly Projection[];
}

/** A place for one journal, empty at first. */
export interface StorageKind {
  open(options?: FixtureOptions): Promise<Journal>;
  remove(): Promise<void>;
}

/** An implementation under test. */
export interface JournalFixture {
  readonly name: string;
  /** Whether opening a storage again finds what was written. */
  readonly survivesClosing: boolean;
  /** How many random histories the model test runs. */
  readonly modelRuns: number;
  create(): Promise<StorageKind>;
}

/** A journal on a storage of its own, for one test; `current` changes when it is opened again. */
export interface JournalUnderTest {
  readonly current: Journal;
  reopen(options?: FixtureOptions): Promise<void>;
}

/** Follows until so many events have come, and returns them. */
export async function collect(
  journal: Journal,
  stream: string,
  after: number,
  count: number,
  signal?: AbortSignal,
): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  if (count === 0) return events;
  for await (const batch of journal.follow(stream, after, signal)) {
    events.push(...batch);
    if (events.length >= count) break;
  }
  return events;
}

/** All events of a stream, page by page. */
export async function readAll(
  journal: Journal,
  stream: string,
  limit = 100,
  after = 0,
): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for (;;) {
    const page = await journal.read(stream, events.at(-1)?.index ?? after, limit);
    if (page.length === 0) return events;
    events.push(...page);
  }
}

/** 1..n */
export function upTo(n: number): number[] {
  return Array.from({ length: n }, (_, i) => i + 1);
}

/** The code of the error with which a call failed, or what it resolved with. */
export function codeOf(outcome: PromiseSettledResult<unknown>): unknown {
  if (outcome.status === "fulfilled") return outcome.value;
  return outcome.reason instanceof JournalError ? outcome.reason.code : outcome.reason;
}
