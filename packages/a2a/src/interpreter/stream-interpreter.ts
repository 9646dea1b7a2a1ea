import type { z } from "zod";
import { withoutCarriage } from "../dialects/carried.ts";
import {
  type ExtensionMember,
  memberIn,
  memberInPart,
  RUN_EXTENSION,
} from "../extension/extension-member.ts";
import {
  approvalRequest,
  type Provenance,
  planState,
  provenance,
  snapshot,
  toolCall,
  toolResult,
  usage,
} from "../extension/members.ts";
import type { Artifact, Message, Metadata, Part, StreamResponse, TaskStatus } from "../protocol/model.ts";
import { isInterrupted, isTerminal } from "../tasks/task-states.ts";
import { describedCall, describedResult, looksLikeNotice, typeByName } from "./foreign-agents.ts";
import type {
  ArtifactArrival,
  ArtifactEvent,
  ArtifactType,
  PeerEvent,
  ReportedResult,
  StatusEvent,
} from "./peer-event.ts";

interface Classified {
  readonly name: string | undefined;
  readonly type: ArtifactType;
  readonly origin: Provenance | undefined;
}

/** What only the peer itself can say of its run: from an agent below it, it is content like any other. */
const OF_THE_RUN: ReadonlySet<ArtifactType> = new Set<ArtifactType>([
  "output-start",
  "output-delta",
  "output-end",
  "snapshot",
  "plan-text",
  "plan-complete",
  "plan-state",
]);
const MAX_REMEMBERED = 100;

/** Stands for the question of a peer that waits and does not say for what. */
export const UNSPECIFIED_QUESTION = "The agent needs something to go on, and does not say what.";

/**
 * Decides, once for all consumers, what each event of a peer's task is: by our extension, and for peers that do not use
 * it by names and prose. It keeps only what that takes, and is the same for the same events.
 */
export class StreamInterpreter {
  /** The latest artifacts, so that a piece that continues one needs no parsing. */
  readonly #artifacts = new Map<string, Classified>();
  readonly #openCalls = new Map<string, string>();
  #taskId: string | undefined;
  #lastMessageId: string | undefined;

  /** The peer's task, once it has named it. */
  get taskId(): string | undefined {
    return this.#taskId;
  }

  /** The contents of an event, in order; `corrects`: it repeats a whole artifact to correct earlier pieces. */
  interpret(event: StreamResponse, { corrects = false } = {}): readonly PeerEvent[] {
    if ("artifactUpdate" in event) {
      const { artifact, append, lastChunk = false, taskId } = event.artifactUpdate;
      this.#taskId ??= taskId || undefined;
      return [this.#artifact(artifact, corrects ? "current" : append ? "append" : "replace", lastChunk)];
    }
    if ("statusUpdate" in event) {
      const { taskId, status, metadata } = event.statusUpdate;
      this.#taskId ??= taskId || undefined;
      return [this.#status(status, metadata)];
    }
    if ("message" in event) {
      const { message } = event;
      return [{ type: "reply", message, usage: memberIn(message.metadata, usage).value }];
    }
    const { id, artifacts = [], status, metadata } = event.task;
    this.#taskId ??= id || undefined;
    const arrival = isTerminal(status.state) ? "final" : "current";
    const whole = artifacts.map((artifact) => this.#artifact(artifact, arrival, false));
    return [...whole, this.#status(status, metadata)];
  }

  #artifact(artifact: Artifact, arrival: ArtifactArrival, isLast: boolean): ArtifactEvent {
    const { type, origin } = this.#classify(artifact, arrival);
    const event = { artifact, arrival, isLast, origin };
    const { metadata, parts } = artifact;
    switch (type) {
      case "snapshot":
        return { type, ...event, snapshotOf: memberIn(metadata, snapshot).value?.artifactId };
      case "plan-state":
        return { type, ...event, plan: inParts(parts, planState) };
      case "tool-call": {
        const call = memberIn(metadata, toolCall).value ?? describedCall(artifact);
        this.#openCalls.set(call.tool, call.id);
        return { type, ...event, call };
      }
      case "tool-result": {
        const declared = memberIn(metadata, toolResult).value ?? inParts(parts, toolResult);
        const ended = declared
          ? reported(declared)
          : describedResult(artifact, inlineText(parts), this.#openCalls);
        return { type, ...event, ended };
      }
      default:
        return { type, ...event };
    }
  }

  #classify(artifact: Artifact, arrival: ArtifactArrival): Classified {
    const { artifactId, name, metadata } = artifact;
    const known = arrival === "append" ? this.#artifacts.get(artifactId) : undefined;
    if (known && known.name === name) return known;
    const origin = memberIn(metadata, provenance).value;
    const classified = { name, type: artifactType(artifact, origin), origin };
    if (this.#artifacts.size >= MAX_REMEMBERED) this.#artifacts.clear();
    this.#artifacts.set(artifactId, classified);
    return classified;
  }

  #status(status: TaskStatus, metadata: Metadata | undefined): StatusEvent {
    const { state, message } = status;
    const declared = <Value>(member: ExtensionMember<Value>) =>
      memberIn(metadata, member).value ?? memberIn(message?.metadata, member).value;
    const origin = declared(provenance);
    const event = { status, metadata, origin, usage: origin ? undefined : declared(usage) };
    if (isTerminal(state)) return { type: "ended", ...event };
    const isNew = message !== undefined && this.#isNew(message.messageId);
    const isBlocking = isInterrupted(state);
    const request = message && inParts(message.parts, approvalRequest);
    const text = message ? inlineText(message.parts) : "";
    if (isBlocking || (request && state === "TASK_STATE_WORKING"))
      return { type: "question", ...event, message, text, isBlocking, ...(request && { request }) };
    const said = isNew ? { message, text } : { message: undefined, text: "" };
    const call = declared(toolCall);
    const result = declared(toolResult);
    if (call) this.#openCalls.set(call.tool, call.id);
    if (call || result)
      return { type: "tool-notice", ...event, ...said, call, ended: result && reported(result) };
    const isNotice = hasMembers(metadata) || hasMembers(message?.metadata) || looksLikeNotice(text);
    return { type: isNotice || said.text === "" ? "notice" : "token", ...event, ...said };
  }

  /** Some agents send events twice. */
  #isNew(messageId: string): boolean {
    if (messageId !== "" && messageId === this.#lastMessageId) return false;
    this.#lastMessageId = messageId;
    return true;
  }
}

/** Reads a member from a message's metadata or from one of its parts. */
export function memberInMessage<Value>(
  { metadata, parts }: Pick<Message, "metadata" | "parts">,
  member: ExtensionMember<Value>,
): Value | undefined {
  return memberIn(metadata, member).value ?? inParts(parts, member);
}

/** Whether an artifact holds what the peer thinks. */
export function isThought(artifact: Artifact): boolean {
  return typeByName(artifact.name ?? "") === "thought" && artifactType(artifact, undefined) === "thought";
}

/** Whether a part is text that belongs to no file. */
export function isInlineText({ text, filename }: Part): boolean {
  return text !== undefined && filename === undefined;
}

/** The text of these parts that belongs to no file, joined. */
export function inlineText(parts: readonly Part[]): string {
  return parts.map((part) => (isInlineText(part) ? part.text : "")).join("");
}

function artifactType(artifact: Artifact, origin: Provenance | undefined): ArtifactType {
  const { name = "", parts } = artifact;
  // Its words may be another agent's; it is the peer's answer all the same.
  const content = origin && name !== "streaming_result" ? "branch" : "answer";
  const type = declaredType(artifact) ?? typeByName(name) ?? content;
  if (origin && OF_THE_RUN.has(type)) return content;
  // A file is a file, whatever it is called.
  return parts.length > 0 && parts.every(isFile) ? content : type;
}

function declaredType({ metadata, parts }: Artifact): ArtifactType | undefined {
  if (memberIn(metadata, snapshot).value) return "snapshot";
  if (memberIn(metadata, toolCall).value) return "tool-call";
  if (memberIn(metadata, toolResult).value) return "tool-result";
  const isPlan = parts.length > 0 && parts.every((part) => memberInPart(part, planState).value);
  return isPlan ? "plan-state" : undefined;
}

/** With its bytes, a link, or kept elsewhere by now. */
function isFile({ raw, url, text, data, filename }: Part): boolean {
  return raw !== undefined || url !== undefined || (filename !== undefined && (text ?? data) === undefined);
}

function inParts<Value>(parts: readonly Part[], member: ExtensionMember<Value>): Value | undefined {
  for (const part of parts) {
    const { value } = memberInPart(part, member);
    if (value !== undefined) return value;
  }
  return undefined;
}

function hasMembers(metadata: Metadata | undefined): boolean {
  return withoutCarriage(metadata)?.[RUN_EXTENSION] !== undefined;
}

function reported({ blob, result = blob, ...ended }: z.infer<typeof toolResult.schema>): ReportedResult {
  return { ...ended, ...(result !== undefined && { result }) };
}
