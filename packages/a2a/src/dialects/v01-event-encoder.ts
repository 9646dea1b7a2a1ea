import { chosenTaskId } from "../protocol/chosen-task-id.ts";
import type {
  Artifact,
  Json,
  Message,
  Metadata,
  Task,
  TaskArtifactUpdate,
  TaskStatus,
  TaskStatusUpdate,
} from "../protocol/model.ts";
import { carry } from "./carried.ts";
import type { ArtifactPositions, EventEncoder, TaskNames } from "./dialect.ts";
import { readNotes } from "./incomplete-status.ts";
import { endsStream } from "./legacy-states.ts";
import { encodeV01Artifact, encodeV01Message, encodeV01Status, newerState } from "./v01-encode.ts";

/** Writes the events of one stream as v0.1, telling each context and artifact id once. */
export function v01EventEncoder(positions: ArtifactPositions, task: TaskNames = {}): EventEncoder {
  const stream = new V01Stream(positions, task);
  return ({ payload: event }) => {
    if ("artifactUpdate" in event) return [JSON.stringify(stream.artifact(event.artifactUpdate))];
    if ("statusUpdate" in event) return [JSON.stringify(stream.status(event.statusUpdate))];
    if ("message" in event) return [JSON.stringify(stream.message(event.message))];
    return stream.task(event.task).map((result) => JSON.stringify(result));
  };
}

class V01Stream {
  readonly #positions: ArtifactPositions;
  readonly #task: TaskNames;
  readonly #toldArtifacts = new Set<string>();
  #toldContext = false;

  constructor(positions: ArtifactPositions, task: TaskNames) {
    this.#positions = positions;
    this.#task = task;
  }

  status(update: TaskStatusUpdate): Json {
    return this.#statusEvent(update, endsStream(update.status.state));
  }

  artifact({ taskId, contextId, artifact, append, lastChunk, metadata: own }: TaskArtifactUpdate): Json {
    const metadata = carry(own, { contextId: this.#untoldContext(contextId) });
    const index = this.#positions(artifact.artifactId);
    const tellId = !this.#toldArtifacts.has(artifact.artifactId);
    this.#toldArtifacts.add(artifact.artifactId);
    return {
      id: chosenTaskId(taskId),
      artifact: encodeV01Artifact(artifact, { index, append, lastChunk, tellId }),
      ...(metadata && { metadata }),
    };
  }

  /** The task as a status, its artifacts so far as pieces; if nothing will follow, the status again as the end. */
  task(task: Task): Json[] {
    const update = { taskId: task.id, contextId: task.contextId, status: task.status };
    const snapshot = { ...update, metadata: { ...carry(task.metadata, { snapshot: true }) } };
    // The status first: whatever comes first tells the context.
    const events = [this.#statusEvent(snapshot, false)];
    for (const artifact of task.artifacts ?? []) events.push(this.#wholeArtifact(update, artifact));
    return isOver(task.status) ? [...events, this.#statusEvent(update, true)] : events;
  }

  /** v0.1 streams know no messages: it is the last word of a completed task. */
  message(message: Message): Json {
    const id = message.taskId ?? this.#task.id ?? "";
    const contextId = this.#untoldContext(message.contextId ?? this.#task.contextId ?? "");
    const metadata = carry(undefined, { answer: "message", contextId }) ?? {};
    return { id, status: { state: "completed", message: encodeV01Message(message) }, final: true, metadata };
  }

  #wholeArtifact(update: UpdateNames, artifact: Artifact): Json {
    return this.artifact({ taskId: update.taskId, contextId: update.contextId, artifact, append: false });
  }

  #statusEvent(update: UpdateNames & { status: TaskStatus; metadata?: Metadata }, ends: boolean): Json {
    const notes = readNotes(update.metadata);
    const metadata = carry(notes.metadata, {
      contextId: this.#untoldContext(update.contextId),
      state: newerState(update.status),
    });
    return {
      id: chosenTaskId(update.taskId),
      status: encodeV01Status(update.status, notes),
      final: notes.final ?? ends,
      ...(metadata && { metadata }),
    };
  }

  #untoldContext(contextId: string): string | undefined {
    if (this.#toldContext || contextId === "") return undefined;
    this.#toldContext = true;
    return contextId;
  }
}

type UpdateNames = Pick<TaskStatusUpdate, "taskId" | "contextId">;

function isOver({ state }: TaskStatus): boolean {
  return endsStream(state) && state !== "TASK_STATE_INPUT_REQUIRED" && state !== "TASK_STATE_AUTH_REQUIRED";
}
