import {
  type Artifact,
  isObject,
  type Json,
  type Metadata,
  memberIn,
  memberInPart,
  type Part,
  provenance,
  toolCall,
  toolResult,
} from "@parley/a2a";
import type { EventOf } from "../../domain/session-event.ts";
import { wordsOf } from "./artifact-kind.ts";

type Called = Omit<EventOf<"agent_tool_call">, "runId">;
type Ended = Omit<EventOf<"agent_tool_result">, "runId">;

/** Whose work this is, below the agent that runs. */
export function agentIn(metadata: Metadata | undefined): string | undefined {
  return memberIn(metadata, provenance).value?.agent;
}

/** Whose work this is, below the agent that runs, and the call by which that agent was asked. */
export function originIn(metadata: Metadata | undefined): {
  readonly agent?: string;
  readonly parentCallId?: string;
} {
  const { agent, callId } = memberIn(metadata, provenance).value ?? {};
  return { ...(agent !== undefined && { agent }), ...(callId && { parentCallId: callId }) };
}

/** The call that metadata tell of, by our extension. */
export function calledIn(metadata: Metadata | undefined): Called | undefined {
  const call = memberIn(metadata, toolCall).value;
  if (!call) return undefined;
  const { id, tool, arguments: given } = call;
  return { type: "agent_tool_call", callId: id, tool, arguments: given, ...by(metadata, id) };
}

/** The end of a call that metadata tell of, by our extension; `about` says whose call it is. */
export function endedIn(metadata: Metadata | undefined, text = "", about = metadata): Ended | undefined {
  const ended = memberIn(metadata, toolResult).value;
  if (!ended) return undefined;
  const { id, outcome, result = ended.blob, durationMs } = ended;
  return {
    type: "agent_tool_result",
    callId: id,
    outcome,
    durationMs,
    ...by(about, id),
    ...(result !== undefined && { result }),
    ...(text !== "" && { text }),
  };
}

/** The call that an artifact tells of: by our extension, or in the words of others. */
export function calledBy(artifact: Artifact): Called {
  const { artifactId, metadata, parts } = artifact;
  const known = calledIn(metadata);
  if (known) return known;
  const data = dataIn(parts);
  const callId = idIn(data) ?? artifactId;
  return {
    type: "agent_tool_call",
    callId,
    tool: toolIn(artifact, data),
    ...("arguments" in data && { arguments: data.arguments }),
    ...by(metadata, callId),
  };
}

/** The end of a call that an artifact tells of; `open` are the calls that have not ended, by tool. */
export function endedBy(artifact: Artifact, open: ReadonlyMap<string, string>): Ended {
  const { artifactId, metadata, parts } = artifact;
  const text = wordsOf(parts);
  const members = [metadata, ...parts.map((part) => memberDataOf(part))];
  // Data can claim any origin.
  const known = members.map((member) => endedIn(member, text, metadata)).find(Boolean);
  if (known) return known;
  const data = dataIn(parts);
  const hasFailed = data.error !== undefined || data.is_error === true || text.startsWith("❌");
  const result = data.result ?? (Object.keys(data).length > 0 ? data : undefined);
  const callId = idIn(data) ?? open.get(toolIn(artifact, data)) ?? artifactId;
  return {
    type: "agent_tool_result",
    callId,
    outcome: hasFailed ? "failed" : "succeeded",
    ...(result !== undefined && { result }),
    ...(text !== "" && { text }),
    ...by(metadata, callId),
  };
}

/** Who makes the call, and for whom. What has no task yet and bears the id of its own origin is the asking itself. */
function by(metadata: Metadata | undefined, id: string): Pick<Called, "agent" | "parentCallId" | "taskId"> {
  const origin = memberIn(metadata, provenance).value;
  if (!origin) return {};
  const { agent, callId, taskId } = origin;
  const isAsking = callId === id && taskId === undefined;
  return {
    agent,
    ...(callId && !isAsking && { parentCallId: callId }),
    ...(taskId && { taskId }),
  };
}

function memberDataOf(part: Part): Metadata | undefined {
  return memberInPart(part, toolResult).value ? (part.data as Metadata) : undefined;
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
