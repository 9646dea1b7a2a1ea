import type { Meter } from "@opentelemetry/api";
import { type Log, openEventStreams } from "@parley/a2a";
import type { Journal, JournalStats } from "@parley/journal";

const MEASUREMENTS: Readonly<Record<keyof JournalStats, readonly [name: string, description: string]>> = {
  flushes: ["flushes", "Group commits since the journal was opened"],
  events: ["events", "Events recorded since the journal was opened"],
  merged: ["merged", "Events that were merged with the one before them"],
  reads: ["reads", "Pages of events read from the storage"],
  waitingEvents: ["waiting.events", "Events that wait for their commit"],
  waitingBytes: ["waiting.bytes", "Bytes of events that wait for their commit"],
  followers: ["followers", "Followers of streams"],
  followerLag: ["follower.lag.events", "Events that the slowest follower has not read"],
};

/** Adds the counters of the journal to the metrics. */
export function observeJournal(meter: Meter, journal: Journal): void {
  for (const [key, [name, description]] of Object.entries(MEASUREMENTS))
    meter
      .createObservableGauge(`journal.${name}`, { description })
      .addCallback((result) => result.observe(journal.stats()[key as keyof JournalStats]));
}

/** Adds memory, event loop and open streams of this process to the metrics. */
export function observeProcess(meter: Meter): void {
  const shown = (name: string, description: string, read: () => number) =>
    meter.createObservableGauge(name, { description }).addCallback((result) => result.observe(read()));
  shown("sse.clients", "Open event streams of the API and of all hosted agents", openEventStreams);
  shown("process.resident.memory.bytes", "Resident memory of this process", () => process.memoryUsage.rss());
  let before = performance.eventLoopUtilization();
  shown("process.event.loop.utilization", "Event loop utilization since the last scrape, 0 to 1", () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return utilization;
  });
}

/** Whether nodes are notified of each other's events at once, for the log, the probes and the metrics. */
export class HintStatus {
  readonly #log: Log;
  #trouble: string | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Why events of other nodes are found by polling only. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  readonly changed = (trouble: string | undefined): void => {
    this.#trouble = trouble;
    if (trouble === undefined) this.#log.info({}, "hints of other nodes are received again");
    else this.#log.warn({ trouble }, "hints of other nodes are not received; polling for their events");
  };

  observe(meter: Meter): void {
    meter
      .createObservableGauge("journal.hints", {
        description: "1 while hints of other nodes are received, 0 while their events are found by polling",
      })
      .addCallback((result) => result.observe(this.#trouble === undefined ? 1 : 0));
  }
}
