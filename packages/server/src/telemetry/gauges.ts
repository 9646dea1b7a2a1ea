import type { Meter } from "@opentelemetry/api";
import { openEventStreams } from "@parley/a2a";
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

/** Shows what this process holds and how busy it is among the measurements. */
export function observeProcess(meter: Meter): void {
  const shown = (name: string, description: string, read: () => number) =>
    meter.createObservableGauge(name, { description }).addCallback((result) => result.observe(read()));
  shown(
    "sse.clients",
    "Event streams that are open now, of the API and of all agents here",
    openEventStreams,
  );
  shown("process.resident.memory.bytes", "Memory of this process", () => process.memoryUsage.rss());
  let before = performance.eventLoopUtilization();
  shown("process.event.loop.utilization", "How busy the event loop was since the last look, 0 to 1", () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return utilization;
  });
}
