import type { RecordedEvent } from "@parley/journal";
import type { Artifact, Message, Part, Task, TaskArtifactUpdate, TaskStatus } from "../../protocol/model.ts";
import type { TaskCreated, TaskEvent } from "../task-events.ts";
import { isInterrupted } from "../task-states.ts";

/** A task as its events have made it; each event costs the same, however long the task already is. */
export class TaskProjection {
  index = 0;
  /** How much all that was recorded takes, as characters of JSON. */
  characters = 0;
  created: TaskCreated | undefined;
  #base: Omit<Task, "status" | "artifacts" | "history"> | undefined;
  #status: TaskStatus | undefined;
  /** The index of the event that brought it into its present state. */
  statusIndex = 0;
  readonly #history: Message[] = [];
  /** The question of an interrupted task, as long as it is in the status and not yet in the history. */
  #asked: Message | undefined;
  readonly #artifacts = new Map<string, ArtifactDraft>();

  get status(): TaskStatus {
    if (!this.#status) throw new Error("The task's stream does not begin with the task");
    return this.#status;
  }

  apply({ index, json, payload }: RecordedEvent<TaskEvent>): void {
    this.index = index;
    this.characters += json.length;
    if ("artifactUpdate" in payload) this.#applyArtifact(payload.artifactUpdate);
    else if ("statusUpdate" in payload) this.#applyStatus(payload.statusUpdate.status);
    else if ("received" in payload) this.#applyReceived(payload.received);
    else if ("task" in payload) this.#applyTask(payload.task);
    else if ("created" in payload) this.created = payload.created;
  }

  /** The number of an artifact in the task, which the oldest dialect needs. */
  position(artifactId: string): number {
    return this.#artifacts.get(artifactId)?.position ?? this.#artifacts.size;
  }

  /** The task as it is now. `historyLength`: undefined is all, 0 none, n the newest n. */
  snapshot({ historyLength, artifacts = true }: { historyLength?: number; artifacts?: boolean } = {}): Task {
    if (!this.#base) throw new Error("The task's stream does not begin with the task");
    const history = historyLength === undefined ? this.#history : newest(this.#history, historyLength);
    return {
      ...this.#base,
      status: this.status,
      ...(artifacts &&
        this.#artifacts.size > 0 && { artifacts: [...this.#artifacts.values()].map(finished) }),
      ...(history.length > 0 && { history: [...history] }),
    };
  }

  // A second one is what a shrunk task came to: it stands for all that was before.
  #applyTask({ status, artifacts = [], history = [], ...base }: Task): void {
    this.#base = base;
    this.#status = status;
    this.statusIndex = this.index;
    this.#asked = undefined;
    this.#history.splice(0, Number.POSITIVE_INFINITY, ...history);
    this.#artifacts.clear();
    for (const artifact of artifacts) this.#replace(artifact);
  }

  #applyReceived(message: Message): void {
    this.#remember(this.#asked);
    this.#history.push(message);
  }

  // What an agent asked belongs to the conversation once it was answered. What it says while it works does not:
  // that may be every single token.
  #applyStatus(status: TaskStatus): void {
    this.#remember(this.#asked);
    this.#status = status;
    this.statusIndex = this.index;
    if (isInterrupted(status.state)) this.#asked = status.message;
  }

  #remember(asked: Message | undefined): void {
    if (asked) this.#history.push(asked);
    this.#asked = undefined;
  }

  #applyArtifact({ artifact, append }: TaskArtifactUpdate): void {
    const draft = this.#artifacts.get(artifact.artifactId);
    if (append && draft) extend(draft, artifact);
    else this.#replace(artifact);
  }

  #replace(artifact: Artifact): void {
    const { parts, ...rest } = artifact;
    const position = this.position(artifact.artifactId);
    const draft: ArtifactDraft = { rest, position, parts: [], text: undefined };
    for (const part of parts) addPart(draft, part);
    this.#artifacts.set(artifact.artifactId, draft);
  }
}

/** An artifact under construction; `text` gathers the pieces of a last part that is text and nothing else. */
interface ArtifactDraft {
  rest: Omit<Artifact, "parts">;
  readonly position: number;
  readonly parts: Part[];
  text: string[] | undefined;
}

function extend(draft: ArtifactDraft, { parts, metadata }: Artifact): void {
  if (metadata) draft.rest = { ...draft.rest, metadata: { ...draft.rest.metadata, ...metadata } };
  for (const part of parts) addPart(draft, part);
}

function addPart(draft: ArtifactDraft, part: Part): void {
  if (isPlainText(part)) {
    draft.text ??= [];
    draft.text.push(part.text);
  } else {
    closeText(draft);
    draft.parts.push(part);
  }
}

function isPlainText(part: Part): part is { readonly text: string } {
  return part.text !== undefined && Object.keys(part).length === 1;
}

function closeText(draft: ArtifactDraft): void {
  if (draft.text) draft.parts.push({ text: draft.text.join("") });
  draft.text = undefined;
}

// The pieces are joined once and kept joined, so that looking often costs no more than looking once.
function finished(draft: ArtifactDraft): Artifact {
  const { rest, parts, text } = draft;
  if (!text) return { ...rest, parts: [...parts] };
  const joined = text.join("");
  draft.text = [joined];
  return { ...rest, parts: [...parts, { text: joined }] };
}

function newest<Item>(items: readonly Item[], count: number): readonly Item[] {
  return count === 0 ? [] : items.slice(-count);
}
