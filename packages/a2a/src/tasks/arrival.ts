import type { Message } from "../protocol/model.ts";
import type { RecordedKey } from "./request-key.ts";
import type { TaskEvent } from "./task-events.ts";

/** A message on its way into a task, with what is recorded beside it. */
export interface Arrival {
  readonly message: Message;
  readonly key?: RecordedKey | undefined;
  /** The webhooks that came with it. */
  readonly registrations: readonly TaskEvent[];
}

/** The events of a message that was taken in; `offer` is the one that brought it here. */
export function receivedEvents({ message, key, registrations }: Arrival, offer?: string): TaskEvent[] {
  return [...registrations, { received: message, ...(offer && { offer }), ...(key && { key }) }];
}

/** What tells a message from another, however often and wherever it comes: its offer, and the key of its request. */
export function namesOf({
  offer,
  key,
}: {
  offer?: string | undefined;
  key?: RecordedKey | undefined;
}): string[] {
  return [...(offer ? [offer] : []), ...(key ? [JSON.stringify([key.owner, key.key])] : [])];
}
