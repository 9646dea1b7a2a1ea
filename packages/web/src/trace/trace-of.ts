import type { DomainEvent, EventOf } from "@parley/client";
import type { Trace } from "./span.ts";
import { TraceBuilder } from "./trace-builder.ts";

/** A run in bars, from its events in their order; undefined where its beginning is not among them. */
export function traceOf(events: readonly DomainEvent[], now: number): Trace | undefined {
  const start = events.find((event): event is EventOf<"agent_start"> => event.type === "agent_start");
  if (!start) return undefined;
  const builder = new TraceBuilder(start);
  for (const event of events) builder.add(event);
  return builder.build(now);
}
