import type { Meter } from "@opentelemetry/api";
import type { Journal, JournalStats } from "@parley/journal";

const MEASUREMENTS: Readonly<Record<keyof JournalStats, readonly [name: string, description: string]>> = {
  flushes: ["flushes", "Group commits since the journal was opened"],
  events: ["events", "Events recorded since the journal was opened"],
  merged: ["merged", "Events that joined the one before them"],
  reads: ["reads", "Pages of events read from the storage"],
  waitingEvents: ["waiting.events", "Events that wait for their commit now"],
  waitingBytes: ["waiting.bytes", "What the events that wait for their commit take"],
  followers: ["followers", "Readers that follow a stream now"],
  followerLag: ["follower.lag.events", "How many events the slowest follower has yet to take"],
};

/** Shows the journal's own counts among the measurements. */
export function observeJournal(meter: Meter, journal: Journal): void {
  for (const [key, [name, description]] of Object.entries(MEASUREMENTS))
    meter
      .createObservableGauge(`journal.${name}`, { description })
      .addCallback((result) => result.observe(journal.stats()[key as keyof JournalStats]));
}
