import type { Meter } from "@opentelemetry/api";
import { openEventStreams } from "@parley/a2a";

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
