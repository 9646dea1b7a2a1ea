import { A2AError, ClientError, OutcomeUnknownError } from "@parley/a2a";
import { BlobMissingError, InvalidRequestError, JournalError } from "@parley/journal";
import { RegistryError } from "@parley/registry";
import { RunEndedError } from "../open-session.ts";
import { MaybeBegunError } from "./agent-stream.ts";
import { AgentStalledError } from "./run-limits.ts";
import { AnswerTooLongError } from "./transform/run-texts.ts";

/** What to do about an error while an agent is followed. */
export type Verdict =
  /** Nothing here: the run is over, or is taken again. */
  | "release"
  /** The agent sent what the journal rejects. */
  | "unrecordable"
  | "stop"
  | "fail"
  | "restart"
  | "retry"
  | "internal error";

export function judge(error: unknown, isTaskKnown: boolean): Verdict {
  if (error instanceof RunEndedError) return "release";
  if (error instanceof InvalidRequestError) return "unrecordable";
  if (error instanceof BlobMissingError) return "fail";
  if (error instanceof JournalError) return "release";
  if (error instanceof AnswerTooLongError || error instanceof AgentStalledError) return "stop";
  if (error instanceof A2AError && error.kind === "TaskNotFound" && isTaskKnown) return "restart";
  if (error instanceof A2AError || error instanceof MaybeBegunError) return "fail";
  if (error instanceof ClientError || error instanceof RegistryError) return "retry";
  return "internal error";
}

export function wasNotSent(error: Error): boolean {
  if (error instanceof OutcomeUnknownError) return false;
  return !("sent" in error) || error.sent === false;
}
