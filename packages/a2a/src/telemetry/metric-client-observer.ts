import type { Meter } from "@opentelemetry/api";
import type { ClientObserver } from "../client/client-observer.ts";

/** Counts protocol violations and bad connections of other agents, by kind. */
export function metricClientObserver(meter: Meter): ClientObserver {
  const oddities = meter.createCounter("a2a.client.oddities", {
    description: "What other agents did that the protocol does not have, and what came of bad connections",
  });
  const count = (kind: string) => {
    oddities.add(0, { kind });
    return () => oddities.add(1, { kind });
  };
  return {
    retrying: count("retry"),
    reconnecting: count("reconnect"),
    fellBack: count("other_dialect"),
    notStreamed: count("not_streamed"),
    unreadable: count("unreadable"),
    artifactRepaired: count("artifact_without_id"),
    appendViolation: count("append_violation"),
    lateEvent: count("late_event"),
    foreignEvent: count("foreign_event"),
    repeatedPiece: count("repeated_piece"),
    replaced: count("replaced"),
  };
}
