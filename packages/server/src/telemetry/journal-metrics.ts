import type { Meter } from "@opentelemetry/api";
import type { Journal, JournalStats } from "@parley/journal";

const DESCRIPTIONS: Readonly<Record<keyof JournalStats, string>> = {
  flushes: "Group commits since the journal was opened",
  events: "Events recorded since the journal was opened",
  merged: "Events that joined the one before them",
  reads: "Pages of events read from the storage",
};

/** Shows the journal's own counts among the measurements. */
export function observeJournal(meter: Meter, journal: Journal): void {
  for (const [name, description] of Object.entries(DESCRIPTIONS) as [keyof JournalStats, string][]) {
    meter
      .createObservableGauge(`journal.${name}`, { description })
      .addCallback((result) => result.observe(journal.stats()[name]));
  }
}
