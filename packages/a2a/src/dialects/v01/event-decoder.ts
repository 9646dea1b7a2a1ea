import { z } from "zod";
import {
  isObject,
  type Metadata,
  type StreamResponse,
  type TaskArtifactUpdate,
} from "../../protocol/model.ts";
import { carriedText, carry, uncarry } from "../carried.ts";
import type { EventDecoder, TaskNames } from "../dialect.ts";
import { endsStream } from "../legacy-states.ts";
import { metadata, optional, parseAnswer, wireObject } from "../wire-schema.ts";
import { v01Artifact, v01Status, v01StatusOf, v01Task, v01TaskOf } from "./decode.ts";
import { artifactIdOf, MessageNames } from "./made-up-ids.ts";

const text = z.string();
const event = { id: text.default(""), metadata: optional(metadata) };
const statusEvent = wireObject({ ...event, status: v01Status, final: optional(z.boolean()) });
const artifactEvent = wireObject({ ...event, artifact: v01Artifact });
const drawnStatus = wireObject({ task: v01Task });
const drawnArtifacts = wireObject({ taskId: text.default(""), artifacts: z.array(v01Artifact) });

/** Reads the events of one v0.1 stream, in the form of its schema or in that of the second seed's drawing. */
export function v01EventDecoder(task: TaskNames = {}): EventDecoder {
  const stream = new V01Reader(task);
  return (value) => {
    if (isObject(value) && value.type === "taskStatusUpdate") return stream.drawnStatus(value);
    if (isObject(value) && value.type === "taskArtifactUpdate") return stream.drawnArtifacts(value);
    return isObject(value) && "artifact" in value ? [stream.artifact(value)] : [stream.status(value)];
  };
}

type SentArtifact = z.output<typeof v01Artifact>;
type UpdateNames = Pick<TaskArtifactUpdate, "taskId" | "contextId">;

class V01Reader {
  readonly #messages = new MessageNames();
  readonly #artifacts = new Map<number, string>();
  #taskId: string;
  #contextId: string;
  #sawTask = false;

  constructor({ id = "", contextId = "" }: TaskNames) {
    this.#taskId = id;
    this.#contextId = contextId;
  }

  status(value: unknown): StreamResponse {
    const { id, final, metadata: meta, status: sent } = parseAnswer(statusEvent, value);
    const { carried, metadata: own } = uncarry(meta, ["contextId", "snapshot", "answer"]);
    const names = this.#names(id, carriedText(carried.contextId));
    const complete = v01StatusOf(sent, own, this.#messages);
    if (carried.answer === "message" && complete.status.message) return { message: complete.status.message };
    if (carried.snapshot === true) {
      const { taskId, ...context } = names;
      return { task: { id: taskId, ...context, ...complete } };
    }
    const update = { ...names, ...complete };
    if (final === undefined || final === endsStream(complete.status.state)) return { statusUpdate: update };
    return { statusUpdate: { ...update, metadata: { ...carry(complete.metadata, { final }) } } };
  }

  artifact(value: unknown): StreamResponse {
    const { id, metadata: meta, artifact } = parseAnswer(artifactEvent, value);
    const { carried, metadata: own } = uncarry(meta, ["contextId"]);
    return { artifactUpdate: this.#update(this.#names(id, carriedText(carried.contextId)), artifact, own) };
  }

  /** The first drawn status is the task; later ones bring its artifacts again, whole, and then the status. */
  drawnStatus(value: unknown): StreamResponse[] {
    const { task: sent } = parseAnswer(drawnStatus, value);
    const names = this.#names(sent.id, sent.sessionId);
    const artifacts = this.#updates(names, sent.artifacts ?? []);
    const task = { ...v01TaskOf(sent, this.#messages), contextId: names.contextId };
    if (!this.#sawTask) {
      this.#sawTask = true;
      return [{ task }];
    }
    const { status, metadata: meta } = task;
    return [...artifacts, { statusUpdate: { ...names, status, ...(meta && { metadata: meta }) } }];
  }

  drawnArtifacts(value: unknown): StreamResponse[] {
    const { taskId, artifacts } = parseAnswer(drawnArtifacts, value);
    const names = this.#names(taskId);
    return this.#updates(names, artifacts);
  }

  #names(id: string, contextId = this.#contextId): UpdateNames {
    this.#taskId = id || this.#taskId;
    this.#contextId = contextId;
    return { taskId: this.#taskId, contextId };
  }

  // In a list the place stands for a number that is missing.
  #updates(names: UpdateNames, sent: readonly SentArtifact[]): StreamResponse[] {
    return sent.map((it, position) => {
      return { artifactUpdate: this.#update(names, { ...it, index: it.index ?? position }) };
    });
  }

  #update(names: UpdateNames, sent: SentArtifact, meta?: Metadata | undefined): TaskArtifactUpdate {
    const { index = 0 } = sent;
    const artifactId = sent.artifactId ?? this.#artifacts.get(index) ?? artifactIdOf(index);
    this.#artifacts.set(index, artifactId);
    const artifact = { artifactId, ...sent.content };
    return { ...names, artifact, ...sent.flags, ...(meta && { metadata: meta }) };
  }
}
