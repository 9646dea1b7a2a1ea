import type { Principal } from "@parley/sessions";
import type { Telling } from "./said.ts";

/** What a client asks for, whichever of OpenAI's protocols it speaks. */
export interface Request {
  readonly principal: Principal;
  readonly telling: Telling;
  readonly agent: string;
  /** Whether what the agent thinks is wanted. */
  readonly thinking: boolean;
  /** What the client calls this request, however often it sends it. */
  readonly key: string | undefined;
  /** The client says that it sends it once more. */
  readonly isRepeated: boolean;
  readonly place: Place;
}

/** Where it is said: in the session that its own history is of, in one by id, which may be to be made, or after an answer. */
export type Place =
  | { readonly kind: "history" }
  | { readonly kind: "session"; readonly id: string; readonly make: boolean }
  | { readonly kind: "after"; readonly sessionId: string; readonly runId: string };

/** What answers: a run, from its beginning or after so many questions. */
export interface Answering {
  readonly sessionId: string;
  readonly runId: string;
  /** The message that is answered: a run that was under way may end without having heard of it. */
  readonly messageId: string;
  readonly part: number;
}
