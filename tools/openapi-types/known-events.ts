import type { EventPayloads } from "@parley/client";
import type { EventOf, SessionEventType } from "@parley/sessions";

/** As it is in JSON, where a field is there or is not. */
type InJson<Value> = Value extends object
  ? { [Name in keyof Value]: InJson<Exclude<Value[Name], undefined>> }
  : Value;

type Recorded = { [Type in SessionEventType]: InJson<Omit<EventOf<Type>, "type">> };

type Known<Payloads extends EventPayloads> = Payloads;

/** The API does not describe what its events tell: that the client has it as the record does is seen here, by the compiler. */
export type KnownEvents = Known<Recorded>;
