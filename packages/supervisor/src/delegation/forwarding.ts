import {
  type Artifact,
  type ArtifactOptions,
  approvalRequest,
  type ExecutionContext,
  type Json,
  type Message,
  type Metadata,
  memberIn,
  memberInPart,
  type Part,
  type Provenance,
  provenance,
  type StreamResponse,
  snapshot,
  type TaskArtifactUpdate,
  type TaskState,
  type TaskStatus,
  textOf,
  type Usage,
  usage,
  withMember,
  withoutCarriage,
} from "@parley/a2a";
import type { Answer } from "../answer.ts";
import { AnswerTarget } from "./answer-target.ts";
import { type ArtifactTarget, isPlainText } from "./artifact-target.ts";
import { type DelegationLimits, LimitExceededError } from "./delegation-limits.ts";
import { ForwardedArtifact } from "./forwarded-artifact.ts";
import type { OriginIds } from "./origin-ids.ts";
import { isNotice, StatusTokens } from "./status-tokens.ts";

/** Artifacts that tell of the work, and are not its result. */
const ABOUT_THE_WORK = /^(execution_plan|tool_notification|thinking)/;
/** Times the artifacts that are passed on. */
const DROPPED_AT_MOST = 100;
/** What says what an artifact is goes out again with each of its pieces. */
const MAX_NAME_LENGTH = 1_000;
const MAX_METADATA = 4_096;
const SNAPSHOTS = /^(partial_result|final_result|full_output)$/;
/** Names by which our own plan and answer are known: what a sub-agent calls so is called its own. */
const OURS = /^(execution_plan|streaming_result$|partial_result$|final_result$|full_output$|output_)/;

export interface ForwardingOptions {
  readonly context: ExecutionContext;
  readonly agent: string;
  readonly callId: string;
  readonly ids: OriginIds;
  readonly limits: DelegationLimits;
  /** Given where this delegation is the answer: what was there before it. */
  readonly answer?: { readonly answer: Answer; readonly before: string } | undefined;
}

/** Passes on what a sub-agent's stream brings, each thing with its origin, and keeps what the model needs of it. */
export class Forwarding {
  readonly #options: ForwardingOptions;
  readonly #others = new Map<string, ForwardedArtifact>();
  /** Those that said just what is there already: repetitions, unless more comes of them. */
  readonly #held = new Map<string, Artifact>();
  readonly #tokens = new StatusTokens();
  #main: { readonly artifactId: string | undefined; readonly target: ArtifactTarget } | undefined;
  #taskId: string | undefined;
  #status: TaskStatus | undefined;
  #usage: Usage | undefined;
  #characters = 0;
  #leftOut = 0;
  readonly #dropped = { artifacts: 0, characters: 0 };

  constructor(options: ForwardingOptions) {
    this.#options = options;
  }

  /** How the sub-agent's task stands; undefined while there is none. */
  get state(): TaskState | undefined {
    return this.#status?.state;
  }

  /** What it says about its state: a question, or why it failed. */
  get message(): Message | undefined {
    return this.#status?.message;
  }

  get usage(): Usage | undefined {
    return this.#usage;
  }

  /** Artifacts that were too many, and were not passed on. */
  get leftOut(): number {
    return this.#leftOut;
  }

  /** All that it brought, in words. */
  get text(): string {
    const main = this.#main?.target;
    const others = [...this.#others.values()].map((artifact) =>
      inWords(artifact === main ? artifact.parts.filter((part) => !isPlainText(part)) : artifact.parts),
    );
    return [main?.text ?? "", ...others].filter(Boolean).join("\n\n");
  }

  async accept(event: StreamResponse): Promise<void> {
    if ("message" in event) return this.#reply(event.message);
    if ("artifactUpdate" in event) return this.#piece(event.artifactUpdate);
    if ("statusUpdate" in event) {
      const { taskId, status, metadata } = event.statusUpdate;
      this.#taskId ??= taskId;
      return this.#hear(status, metadata);
    }
    const { id, artifacts = [], status, metadata } = event.task;
    this.#taskId ??= id;
    for (const artifact of artifacts) await this.#whole(artifact);
    await this.#hear(status, metadata);
  }

  /** Closes what the sub-agent has closed, now that it is done. */
  async finish(): Promise<void> {
    const said = this.#main?.target.text.trim();
    for (const artifact of this.#held.values())
      if (textOf(artifact).trim() !== said) await this.#release(artifact);
    for (const artifact of this.#others.values()) await artifact.finish();
  }

  async #reply({ parts }: Message): Promise<void> {
    this.#count(parts);
    await this.#mainFor(undefined).append(parts);
    this.#status = { state: "TASK_STATE_COMPLETED", timestamp: new Date().toISOString() };
  }

  async #hear(status: TaskStatus, metadata: Metadata | undefined): Promise<void> {
    this.#status = status;
    this.#usage = memberIn(metadata, usage).value ?? this.#usage;
    const { message, state } = status;
    if (!message || !this.#tokens.isNew(message)) return;
    const text = textOf(message);
    if (state === "TASK_STATE_COMPLETED") {
      // An answer in the last status is one only where there is no other.
      if (!this.#main) await this.#mainFor(undefined).append(message.parts);
    } else if (state === "TASK_STATE_WORKING" || state === "TASK_STATE_SUBMITTED") {
      this.#count(message.parts);
      const isToken = text !== "" && !isNotice(text, metadata) && this.#main?.artifactId === undefined;
      if (!isToken) return this.#notice(message.parts, metadata);
      this.#tokens.add(text);
      await this.#mainFor(undefined).append([{ text }]);
    }
  }

  async #notice(parts: readonly Part[], metadata: Metadata | undefined): Promise<void> {
    const { context } = this.#options;
    if (metadata) this.#count([{ data: metadata as Json }]);
    // It asks when it stops for an answer: what is in between could be taken for the question of another.
    const told = parts.filter((part) => !memberInPart(part, approvalRequest).value);
    if (told.length === 0 && parts.length > 0) return;
    await context.working(told, withMember(withoutCarriage(metadata), provenance, this.#origin(metadata)));
  }

  async #piece({ artifact, append, lastChunk, taskId }: TaskArtifactUpdate): Promise<void> {
    this.#taskId ??= taskId;
    // Nearly every piece goes where the one before it went, and waits for nothing but room.
    const target = this.#knownTarget(artifact) ?? (await this.#targetOf(artifact, append));
    if (!target) return;
    this.#count(artifact.parts);
    // Most pieces append, and looking at all that is there would cost each of them more.
    const isNew = !append && !this.#wasBegun(target);
    if (isNew && lastChunk && target instanceof ForwardedArtifact) return target.complete(artifact.parts);
    if (append || isNew) await target.append(artifact.parts);
    else {
      // What stood before it is written anew with it.
      if (target instanceof AnswerTarget) this.#weigh(this.#options.answer?.before.length ?? 0);
      await target.replace(artifact.parts);
    }
    if (lastChunk) await target.close();
  }

  async #whole(artifact: Artifact): Promise<void> {
    const target = await this.#targetOf(artifact);
    if (!target) return;
    this.#count(artifact.parts);
    await target.bringTo(artifact.parts);
  }

  #wasBegun(target: ArtifactTarget): boolean {
    return target instanceof ForwardedArtifact ? target.parts.length > 0 : target.length > 0;
  }

  #knownTarget({ artifactId }: Artifact): ArtifactTarget | undefined {
    return this.#main?.artifactId === artifactId ? this.#main.target : this.#others.get(artifactId);
  }

  /** Where an artifact goes; undefined: nowhere, because it repeats what was passed on, or is one too many. */
  async #targetOf(artifact: Artifact, append = false): Promise<ArtifactTarget | undefined> {
    const known = this.#knownTarget(artifact);
    if (known) return known;
    const { artifactId, name = "", metadata, parts } = artifact;
    const held = append ? this.#held.get(artifactId) : undefined;
    if (held) return this.#release(held);
    const text = textOf({ parts });
    if (memberIn(metadata, snapshot).value) return this.#drop(parts);
    if (this.#repeats(name, parts, text)) {
      if (text !== "" && !SNAPSHOTS.test(name)) this.#held.set(artifactId, artifact);
      return this.#drop(parts);
    }
    const mayBeMain = parts.some(isPlainText) && !ABOUT_THE_WORK.test(name) && !this.#main?.artifactId;
    if (mayBeMain && (!this.#main || this.#tokens.areChatter)) {
      await this.#takeBackChatter();
      return this.#mainFor(artifact);
    }
    return this.#another(artifact);
  }

  /** It was no repetition. */
  async #release(artifact: Artifact): Promise<ArtifactTarget | undefined> {
    this.#held.delete(artifact.artifactId);
    const target = this.#another(artifact);
    await target?.append(artifact.parts);
    return target;
  }

  #another(artifact: Artifact): ForwardedArtifact | undefined {
    if (this.#others.size < this.#options.limits.artifacts) return this.#other(artifact);
    this.#leftOut++;
    return this.#drop(artifact.parts);
  }

  #repeats(name: string, parts: readonly Part[], text: string): boolean {
    const main = this.#main;
    if (!main) return false;
    if (SNAPSHOTS.test(name)) return true;
    if (!parts.every(isPlainText)) return false;
    // The text that is there is looked at only by who sends about as much: many small artifacts cost no more than they say.
    return text === "" || (text.length * 2 >= main.target.length && text.trim() === main.target.text.trim());
  }

  async #takeBackChatter(): Promise<void> {
    if (!this.#main) return;
    await this.#main.target.replace([]);
    for (const text of this.#tokens.take()) await this.#notice([{ text }], undefined);
    this.#main = undefined;
  }

  #mainFor(artifact: Artifact | undefined): ArtifactTarget {
    if (this.#main && !artifact) return this.#main.target;
    const { callId, answer } = this.#options;
    const head = artifact ?? { artifactId: `${callId}-text`, name: "current_result", parts: [] };
    const target = answer
      ? new AnswerTarget(answer.answer, answer.before, this.#origin(head.metadata, head.artifactId), () =>
          this.#other(head),
        )
      : this.#other(head);
    this.#main = { artifactId: artifact?.artifactId, target };
    return target;
  }

  #other(artifact: Artifact): ForwardedArtifact {
    const known = this.#others.get(artifact.artifactId);
    if (known) return known;
    const { context, ids, callId } = this.#options;
    const { artifactId, name, description, metadata } = artifact;
    const head: ArtifactOptions & { artifactId: string } = {
      artifactId: ids.idFor(callId, artifactId),
      ...(name !== undefined && { name: this.#nameFor(name).slice(0, MAX_NAME_LENGTH) }),
      ...(description !== undefined && { description: description.slice(0, MAX_NAME_LENGTH) }),
      metadata: withMember(
        bounded(withoutCarriage(metadata)),
        provenance,
        this.#origin(metadata, artifactId),
      ),
    };
    const forwarded = new ForwardedArtifact(context, head);
    this.#others.set(artifactId, forwarded);
    return forwarded;
  }

  #nameFor(name: string): string {
    return OURS.test(name) ? `${this.#options.agent}/${name}` : name;
  }

  // What a sub-agent has from another keeps that one's name, one step closer; the call is always ours, by which it is
  // told after a restart whose it is.
  #origin(metadata: Metadata | undefined, artifactId?: string): Provenance {
    const { agent, callId } = this.#options;
    const inner = memberIn(bounded(metadata), provenance).value;
    const taskId = this.#taskId;
    // Without a task it would be taken for our own report of the call.
    if (inner) return { ...(taskId && { taskId }), ...inner, callId, depth: inner.depth + 1 };
    return { agent, callId, depth: 1, ...(taskId && { taskId }), ...(artifactId && { artifactId }) };
  }

  // What nobody gets costs something too, until the stream ends.
  #drop(parts: readonly Part[]): undefined {
    const { agent, limits } = this.#options;
    const most = limits.artifacts * DROPPED_AT_MOST;
    this.#dropped.artifacts++;
    this.#dropped.characters += charactersIn(parts);
    if (this.#dropped.artifacts > most)
      throw new LimitExceededError(agent, "artifacts", `sent more than ${most} artifacts`);
    this.#check(this.#dropped.characters);
  }

  #count(parts: readonly Part[]): void {
    this.#weigh(charactersIn(parts));
  }

  #weigh(characters: number): void {
    this.#characters += characters;
    this.#check(this.#characters);
  }

  #check(characters: number): void {
    const { agent, limits } = this.#options;
    if (characters > limits.characters)
      throw new LimitExceededError(agent, "characters", `sent more than ${limits.characters} characters`);
  }
}

function bounded(metadata: Metadata | undefined): Metadata | undefined {
  return JSON.stringify(metadata ?? {}).length > MAX_METADATA ? undefined : metadata;
}

function charactersIn(parts: readonly Part[]): number {
  return parts.reduce((sum, { text, raw, data }) => {
    return sum + (text ?? raw ?? "").length + (data === undefined ? 0 : JSON.stringify(data).length);
  }, 0);
}

function inWords(parts: readonly Part[]): string {
  const words = parts.map(({ text, data, url, filename, mediaType }) => {
    if (text !== undefined) return text;
    if (data !== undefined) return JSON.stringify(data);
    return `[${url ?? filename ?? mediaType ?? "file"}]`;
  });
  return words.join("\n");
}
