import type { DomainEvent } from "@parley/client";

/** Which events are wanted; an empty text wants all. */
export interface EventFilter {
  readonly type: string;
  readonly agent: string;
  readonly text: string;
  /** Only these indices. */
  readonly among?: ReadonlySet<number> | undefined;
}

const lowered = new WeakMap<DomainEvent, string>();

export function filteredEvents(
  events: readonly DomainEvent[],
  { type, agent, text, among }: EventFilter,
): readonly DomainEvent[] {
  const wanted = text.trim().toLowerCase();
  return events.filter(
    (event) =>
      (type === "" || event.type === type) &&
      (agent === "" || agentOf(event) === agent) &&
      (!among || among.has(event.index)) &&
      (wanted === "" || textOf(event).includes(wanted)),
  );
}

export function agentOf({ payload }: DomainEvent): string | undefined {
  return "agent" in payload && typeof payload.agent === "string" ? payload.agent : undefined;
}

/** An event in a few words, beside its type. */
export function summaryOf({ payload }: DomainEvent): string {
  const given = payload as Readonly<Record<string, unknown>>;
  const told = ["tool", "text", "content", "question", "state", "outcome", "title", "channel", "name"]
    .map((name) => given[name])
    .filter((value): value is string => typeof value === "string" && value !== "");
  return told.slice(0, 2).join(" · ").replaceAll(/\s+/g, " ").slice(0, 200);
}

// What is in an event does not change, and the same are looked through with every letter that is typed.
function textOf(event: DomainEvent): string {
  const known = lowered.get(event);
  if (known !== undefined) return known;
  const text = `${event.type} ${JSON.stringify(event.payload)}`.toLowerCase();
  lowered.set(event, text);
  return text;
}
