import { type Artifact, memberIn, type Part, provenance, snapshot } from "@parley/a2a";

/** What an artifact is to a session. */
export type ArtifactKind =
  | "text"
  | "thinking"
  | "output-start"
  | "output-delta"
  | "output-end"
  | "snapshot"
  | "plan"
  | "whole-plan"
  | "plan-state"
  | "tool-call"
  | "tool-result";

/** One table for all who have names of their own (S4.22–23, S0.4–11, S2.4–9); any other artifact is taken as it comes. */
const KINDS: ReadonlyMap<string, ArtifactKind> = new Map([
  ["output_start", "output-start"],
  ["output_delta", "output-delta"],
  ["output_end", "output-end"],
  ["full_output", "snapshot"],
  ["tool_call", "tool-call"],
  ["tool_result", "tool-result"],
  ["execution_plan_streaming", "plan"],
  ["execution_plan_update", "whole-plan"],
  ["execution_plan_state", "plan-state"],
  ["tool_notification_start", "tool-call"],
  ["tool_notification_complete", "tool-result"],
  ["streaming_result", "text"],
  ["partial_result", "snapshot"],
  ["final_result", "snapshot"],
  ["current_result", "text"],
  ["thinking", "thinking"],
]);

/** What only the agent that runs can say of its run; from one below it, it is a text like any other. */
const OF_THE_RUN: ReadonlySet<ArtifactKind> = new Set([
  ...(["output-start", "output-delta", "output-end"] as const),
  ...(["snapshot", "plan", "whole-plan", "plan-state"] as const),
]);

export function kindOf({ name = "", metadata, parts }: Artifact): ArtifactKind {
  const kind = memberIn(metadata, snapshot).value ? "snapshot" : (KINDS.get(name) ?? "text");
  if (OF_THE_RUN.has(kind) && memberIn(metadata, provenance).value) return "text";
  // A file is a file, whatever it is called.
  return kind !== "text" && parts.length > 0 && parts.every(isFile) ? "text" : kind;
}

/** With its bytes, a link, or kept elsewhere by now. */
function isFile({ raw, url, text, data, filename }: Part): boolean {
  return raw !== undefined || url !== undefined || (filename !== undefined && (text ?? data) === undefined);
}

/** Words that are nobody's file. */
export function isWords({ text, filename }: Part): boolean {
  return text !== undefined && filename === undefined;
}

/** All words of these parts. */
export function wordsOf(parts: readonly Part[]): string {
  return parts.map((part) => (isWords(part) ? part.text : "")).join("");
}
