/**
 * The fallback for peers that do not use our extension: what names, prose and loose data suggest. Nothing here counts
 * where the extension says what a thing is.
 */
import { type Artifact, isObject, type Json, type Metadata, type Part } from "../protocol/model.ts";
import type { ArtifactType, ReportedCall, ReportedResult } from "./peer-event.ts";

/** Names that agents give their artifacts (S4.22–23, S0.4–11, S2.4–9); any other name is content. */
const TYPES: ReadonlyMap<string, ArtifactType> = new Map([
  ["output_start", "output-start"],
  ["output_delta", "output-delta"],
  ["output_end", "output-end"],
  ["full_output", "snapshot"],
  ["tool_call", "tool-call"],
  ["tool_result", "tool-result"],
  ["execution_plan_streaming", "plan-text"],
  ["execution_plan_update", "plan-complete"],
  ["execution_plan_state", "plan-state"],
  ["tool_notification_start", "tool-call"],
  ["tool_notification_complete", "tool-result"],
  ["partial_result", "snapshot"],
  ["final_result", "snapshot"],
  ["thinking", "thought"],
]);

/** What the name of an artifact suggests that it is. */
export function typeByName(name: string): ArtifactType | undefined {
  return TYPES.get(name);
}

const NOTICE = /^\s*\p{Extended_Pictographic}.*\s/u;
const MIN_NOTICE_LENGTH = 8;

/** Whether the text of a status is a progress notice, such as "🔧 Calling tool: …", and not a piece of an answer. */
export function looksLikeNotice(text: string): boolean {
  return text.length >= MIN_NOTICE_LENGTH && NOTICE.test(text);
}

/** The tool call that an artifact describes in data or in its description. */
export function describedCall(artifact: Artifact): ReportedCall {
  const data = dataIn(artifact.parts);
  return {
    id: idIn(data) ?? artifact.artifactId,
    tool: toolIn(artifact, data),
    ...("arguments" in data && { arguments: data.arguments }),
  };
}

/** The end of a call that an artifact describes; `open` has the calls before it, by tool. */
export function describedResult(
  artifact: Artifact,
  text: string,
  open: ReadonlyMap<string, string>,
): ReportedResult {
  const data = dataIn(artifact.parts);
  const hasFailed = data.error !== undefined || data.is_error === true || text.startsWith("❌");
  const result = data.result ?? (Object.keys(data).length > 0 ? data : undefined);
  return {
    id: idIn(data) ?? open.get(toolIn(artifact, data)) ?? artifact.artifactId,
    outcome: hasFailed ? "failed" : "succeeded",
    ...(result !== undefined && { result }),
  };
}

function dataIn(parts: readonly Part[]): Metadata {
  const data = parts.find((part) => part.data !== undefined)?.data;
  return isObject(data) ? data : {};
}

function idIn(data: Metadata): string | undefined {
  return firstText(data.id, data.callId, data.call_id, data.tool_call_id);
}

/** "Tool call started: argocd" and "Tool call completed: argocd" name it too. */
function toolIn({ name = "", description = "" }: Artifact, data: Metadata): string {
  const described = /^[^:]*:\s*(\S.*)$/s.exec(description)?.[1];
  return firstText(data.tool, data.tool_name, data.name, described, name) ?? "tool";
}

function firstText(...values: readonly (Json | undefined)[]): string | undefined {
  return values.find((value): value is string => typeof value === "string" && value !== "");
}
