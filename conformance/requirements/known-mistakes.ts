import { ofStep } from "./requirement.ts";

/** What implementers of the protocol get wrong. */
export const gotWrong = ofStep("a2a", [
  ["W1", "A stream is one message, or a task and its updates, and closes on a terminal state"],
  ["W2", "Subscribe: first the task as it is, then every later event; a terminal task is refused"],
  ["W3", "All streams of a task see the same in the same order; closing one touches nothing else"],
  ["W4", "append extends that artifact, anything else replaces it, lastChunk marks the end"],
  ["W5", "Waiting returns on a terminal or interrupted state, with all artifacts"],
  ["W6", "Messages to tasks that have ended or do not exist, and contexts that do not match, are refused"],
  ["W7", "A second message to a working task starts no second execution and closes no stream"],
  ["W8", "historyLength: unset is the server's choice, 0 none, N the newest N"],
  ["W9", "ListTasks: cursor pages, newest status first, only one's own, no artifacts unless asked"],
  ["W10", "Without push all four operations are refused as such"],
  ["W11", "Undeclared streaming and extended cards are refused as such"],
  ["W12", "Someone else's task looks exactly like one that does not exist"],
  ["W13", "Empty parts, a missing role and a negative history length are invalid params"],
  ["W14", "Times are in UTC with Z; unknown fields are ignored"],
]);

/** The defects that were measured in the official SDK's server, each of which ours must not have. */
export const sdkDefects = ofStep("a2a", [
  ["D1", "The cost of a streamed answer is linear in its chunks"],
  ["D2", "Resubscribing loses nothing with a slow store"],
  ["D3", "Late events never revive a completed task"],
  ["D4", "A second message to a working task costs its first stream nothing"],
  ["D5", "Cancel during a stream applies nothing twice"],
  ["D6", "A stalled reader costs a bounded amount of memory"],
  ["D7", "A webhook follows no redirect and reaches no private address"],
  ["D8", "JSON of 20,000 levels is the caller's mistake"],
  ["D9", "A body over 1 MB is a 413 in JSON, and one below works"],
]);
