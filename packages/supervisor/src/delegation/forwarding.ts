import {
  type ArtifactEvent,
  type ArtifactOptions,
  approvalRequest,
  type ExecutionContext,
  type Json,
  type Message,
  memberInPart,
  type Part,
  type PeerEvent,
  type Provenance,
  provenance,
  StreamInterpreter,
  type StreamResponse,
  type TaskState,
  type TaskStatus,
  textOf,
  type Usage,
  withMember,
  withoutCarriage,
} from "@parley/a2a";
import type { Answer } from "../answer.ts";
import { AnswerTarget } from "./answer-target.ts";
import { type DelegationLimits, LimitExceededError } from "./delegation-limits.ts";
import { type ArtifactTarget, ForwardedArtifact, isPlainText } from "./forwarded-artifact.ts";
import type { OriginIds } from "./origin-ids.ts";

/** Artifacts about the work, which are not its result. */
const ABOUT_THE_WORK: ReadonlySet<ArtifactEvent["type"]> = new Set<ArtifactEvent["type"]>([
  "plan-text",
  "plan-complete",
  "plan-state",
  "tool-call",
  "tool-result",
  "thought",
]);
/** This many tokens in statuses are an answer; fewer, before an artifact, were about the work. */
const MIN_ANSWER_TOKENS = 8;
/** Per forwarded artifact. */
const MAX_DROPPED = 100;
/** Name and metadata are repeated with each piece. */
const MAX_NAME_LENGTH = 1_000;
const MAX_METADATA = 4_096;
/** Names of our own plan and answer: a sub-agent's artifact of such a name gets a prefix. */
const OURS = /^(execution_plan|streaming_result$|partial_result$|final_result$|full_output$|output_)/;

type Sent = Pick<ArtifactEvent, "artifact" | "origin">;
type Notice = Partial<Pick<Extract<PeerEvent, { type: "notice" }>, "message" | "metadata" | "origin">>;

export interface ForwardingOptions {
  readonly context: ExecutionContext;
  readonly agent: string;
  readonly callId: string;
  readonly ids: OriginIds;
  readonly limits: DelegationLimits;
  /** Set where this delegation is the answer, with what stood before it. */
  readonly answer?: { readonly answer: Answer; readonly before: string } | undefined;
}

/** Forwards a sub-agent's stream, each thing with its origin, and keeps what the model needs. */
export class Forwarding {
  readonly #options: ForwardingOptions;
  readonly #others = new Map<string, ForwardedArtifact>();
  /** Artifacts that repeat what is there, unless more comes of them. */
  readonly #held = new Map<string, Sent>();
  readonly #interpreter = new StreamInterpreter();
  /** The first tokens of statuses (S0.12), while they may have been about the work. */
  #tokens: string[] = [];
  #main: { readonly artifactId: string | undefined; readonly target: ArtifactTarget } | undefined;
  #status: TaskStatus | undefined;
  #usage: Usage | undefined;
  #characters = 0;
  #leftOut = 0;
  readonly #dropped = { artifacts: 0, characters: 0 };

  constructor(options: ForwardingOptions) {
    this.#options = options;
  }

  get state(): TaskState | undefined {
    return this.#status?.state;
  }

  /** A question, or why it failed. */
  get message(): Message | undefined {
    return this.#status?.message;
  }

  get usage(): Usage | undefined {
    return this.#usage;
  }

  /** Artifacts beyond the limit, not forwarded. */
  get leftOut(): number {
    return this.#leftOut;
  }

  /** All that it sent, as text. */
  get text(): string {
    const main = this.#main?.target;
    const others = [...this.#others.values()].map((artifact) =>
      inWords(artifact === main ? artifact.parts.filter((part) => !isPlainText(part)) : artifact.parts),
    );
    return [main?.text ?? "", ...others].filter(Boolean).join("\n\n");
  }

  async accept(event: StreamResponse): Promise<void> {
    for (const heard of this.#interpreter.interpret(event)) await this.#forward(heard);
  }

  /** Closes what the sub-agent has closed, once it is done. */
  async finish(): Promise<void> {
    const said = this.#main?.target.text.trim();
    for (const held of this.#held.values())
      if (textOf(held.artifact).trim() !== said) await this.#release(held);
    for (const artifact of this.#others.values()) await artifact.finish();
  }

  async #forward(event: PeerEvent): Promise<void> {
    if ("usage" in event) this.#usage = event.usage ?? this.#usage;
    if ("status" in event) this.#status = event.status;
    switch (event.type) {
      case "reply":
        this.#count(event.message.parts);
        await this.#mainFor(undefined).append(event.message.parts);
        this.#status = { state: "TASK_STATE_COMPLETED", timestamp: new Date().toISOString() };
        return;
      case "ended": {
        const { state, message } = event.status;
        // The last status is the answer only where there is no other.
        if (state === "TASK_STATE_COMPLETED" && message && !this.#main)
          await this.#mainFor(undefined).append(message.parts);
        return;
      }
      case "question":
        // It asks when it stops for an answer; before, this could be taken for another's question.
        if (!event.isBlocking) await this.#notice(event);
        return;
      case "token":
        if (this.#main?.artifactId !== undefined) return this.#notice(event);
        this.#count([{ text: event.text }]);
        if (this.#tokens.length < MIN_ANSWER_TOKENS) this.#tokens.push(event.text);
        return this.#mainFor(undefined).append([{ text: event.text }]);
      case "tool-notice":
      case "notice":
        return this.#notice(event);
      default:
        return this.#artifact(event);
    }
  }

  async #notice({ message, metadata, origin }: Notice): Promise<void> {
    if (!message) return;
    const { parts } = message;
    this.#count(metadata ? [...parts, { data: metadata as Json }] : parts);
    const told = parts.filter((part) => !memberInPart(part, approvalRequest).value);
    if (told.length === 0 && parts.length > 0) return;
    const about = withMember(withoutCarriage(metadata), provenance, this.#origin(origin));
    await this.#options.context.working(told, about);
  }

  async #artifact(event: ArtifactEvent): Promise<void> {
    const { artifact, arrival, isLast } = event;
    // Nearly every piece goes where the one before it went.
    const target = this.#knownTarget(artifact.artifactId) ?? (await this.#targetOf(event));
    if (!target) return;
    this.#count(artifact.parts);
    if (arrival === "current" || arrival === "final") return target.bringTo(artifact.parts);
    // Most pieces append, and need no look at what is there.
    const isNew = arrival === "replace" && !this.#wasBegun(target);
    if (isNew && isLast && target instanceof ForwardedArtifact) return target.complete(artifact.parts);
    if (arrival === "append" || isNew) await target.append(artifact.parts);
    else {
      // What stood before it is sent again with it.
      if (target instanceof AnswerTarget) this.#weigh(this.#options.answer?.before.length ?? 0);
      await target.replace(artifact.parts);
    }
    if (isLast) await target.close();
  }

  #wasBegun(target: ArtifactTarget): boolean {
    return target instanceof ForwardedArtifact ? target.parts.length > 0 : target.length > 0;
  }

  #knownTarget(artifactId: string): ArtifactTarget | undefined {
    return this.#main?.artifactId === artifactId ? this.#main.target : this.#others.get(artifactId);
  }

  /** The target of a new artifact; undefined: it repeats what was forwarded, or is one too many. */
  async #targetOf(event: ArtifactEvent): Promise<ArtifactTarget | undefined> {
    const { type, artifact, arrival } = event;
    const { artifactId, parts } = artifact;
    const held = arrival === "append" ? this.#held.get(artifactId) : undefined;
    if (held) return this.#release(held);
    if (type === "snapshot" && (this.#main || event.snapshotOf !== undefined)) return this.#drop(parts);
    const text = textOf(artifact);
    if (this.#repeats(parts, text)) {
      if (text !== "") this.#held.set(artifactId, event);
      return this.#drop(parts);
    }
    const mayBeMain = parts.some(isPlainText) && !ABOUT_THE_WORK.has(type) && !this.#main?.artifactId;
    if (mayBeMain && (!this.#main || this.#tokens.length < MIN_ANSWER_TOKENS)) {
      await this.#takeBackTokens();
      return this.#mainFor(event);
    }
    return this.#another(event);
  }

  async #release(held: Sent): Promise<ArtifactTarget | undefined> {
    this.#held.delete(held.artifact.artifactId);
    const target = this.#another(held);
    await target?.append(held.artifact.parts);
    return target;
  }

  #another(sent: Sent): ForwardedArtifact | undefined {
    if (this.#others.size < this.#options.limits.artifacts) return this.#other(sent);
    this.#leftOut++;
    return this.#drop(sent.artifact.parts);
  }

  #repeats(parts: readonly Part[], text: string): boolean {
    const main = this.#main;
    if (!main || !parts.every(isPlainText)) return false;
    // Only a text of similar length is compared, so that many small artifacts stay cheap.
    return text === "" || (text.length * 2 >= main.target.length && text.trim() === main.target.text.trim());
  }

  /** The tokens in statuses were about the work. */
  async #takeBackTokens(): Promise<void> {
    if (!this.#main) return;
    await this.#main.target.replace([]);
    for (const text of this.#tokens.splice(0))
      await this.#notice({ message: { messageId: "", role: "ROLE_AGENT", parts: [{ text }] } });
    this.#main = undefined;
  }

  #mainFor(sent: Sent | undefined): ArtifactTarget {
    if (this.#main && !sent) return this.#main.target;
    const { callId, answer } = this.#options;
    const own = { artifactId: `${callId}-text`, name: "current_result", parts: [] };
    const shown: Sent = sent ?? { artifact: own, origin: undefined };
    const origin = this.#origin(shown.origin, shown.artifact.artifactId);
    const target = answer
      ? new AnswerTarget(answer.answer, answer.before, origin, () => this.#other(shown))
      : this.#other(shown);
    this.#main = { artifactId: sent?.artifact.artifactId, target };
    return target;
  }

  #other({ artifact, origin }: Sent): ForwardedArtifact {
    const known = this.#others.get(artifact.artifactId);
    if (known) return known;
    const { context, ids, callId } = this.#options;
    const { artifactId, name, description } = artifact;
    const metadata = withoutCarriage(artifact.metadata);
    const head: ArtifactOptions & { artifactId: string } = {
      artifactId: ids.idFor(callId, artifactId),
      ...(name !== undefined && { name: this.#nameFor(name).slice(0, MAX_NAME_LENGTH) }),
      ...(description !== undefined && { description: description.slice(0, MAX_NAME_LENGTH) }),
      metadata: withMember(
        isBounded(metadata) ? metadata : undefined,
        provenance,
        this.#origin(origin, artifactId),
      ),
    };
    const forwarded = new ForwardedArtifact(context, head);
    this.#others.set(artifactId, forwarded);
    return forwarded;
  }

  #nameFor(name: string): string {
    return OURS.test(name) ? `${this.#options.agent}/${name}` : name;
  }

  // What comes from below the sub-agent keeps its agent; the call is always ours, by which it is found after a restart.
  #origin(inner: Provenance | undefined, artifactId?: string): Provenance {
    const { agent, callId } = this.#options;
    const { taskId } = this.#interpreter;
    // Without a task it would look like our own report of the call.
    if (inner && isBounded(inner))
      return { ...(taskId && { taskId }), ...inner, callId, depth: inner.depth + 1 };
    return { agent, callId, depth: 1, ...(taskId && { taskId }), ...(artifactId && { artifactId }) };
  }

  // Dropped artifacts count too.
  #drop(parts: readonly Part[]): undefined {
    const { agent, limits } = this.#options;
    const most = limits.artifacts * MAX_DROPPED;
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

function isBounded(metadata: object = {}): boolean {
  return JSON.stringify(metadata).length <= MAX_METADATA;
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
