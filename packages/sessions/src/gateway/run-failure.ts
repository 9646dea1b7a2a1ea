import { A2AError, ClientError, OutcomeUnknownError } from "@parley/a2a";
import { BlobMissingError, InvalidRequestError, JournalError } from "@parley/journal";
import { RegistryError } from "@parley/registry";
import { RunEndedError } from "../open-session.ts";
import { MaybeBegunError } from "./agent-stream.ts";
import { AgentStalledError } from "./run-limits.ts";
import { AnswerTooLongError } from "./transform/run-texts.ts";

/** What is to be done about an error while an agent is followed. */
export type Verdict =
  /** Nothing here: the run is over, or somebody has to take it again. */
  | "let go"
  /** The agent sent what the journal does not take. */
  | "unrecordable"
  /** The agent does too much, or nothing: it is stopped. */
  | "stop"
  | "fail"
  /** The agent has lost its task. */
  | "begin anew"
  /** The agent cannot be reached now. */
  | "ask again"
  | "our mistake";

export function judge(error: unknown, isTaskKnown: boolean): Verdict {
  if (error instanceof RunEndedError) return "let go";
  if (error instanceof InvalidRequestError) return "unrecordable";
  if (error instanceof BlobMissingError) return "fail";
  if (error instanceof JournalError) return "let go";
  if (error instanceof AnswerTooLongError || error instanceof AgentStalledError) return "stop";
  if (error instanceof A2AError && error.kind === "TaskNotFound" && isTaskKnown) return "begin anew";
  if (error instanceof A2AError || error instanceof MaybeBegunError) return "fail";
  if (error instanceof ClientError || error instanceof RegistryError) return "ask again";
  return "our mistake";
}

/** Whether the agent cannot have the message. */
export function wasNotSent(error: Error): boolean {
  if (error instanceof OutcomeUnknownError) return false;
  return !("sent" in error) || error.sent === false;
}
