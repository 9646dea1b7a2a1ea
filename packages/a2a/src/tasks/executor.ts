import type { Json, Message, Metadata, Part, Task } from "../protocol/model.ts";
import type { Trace } from "../tracing/trace.ts";
import type { ContextMemory } from "./context-memory.ts";

/** An agent's output: parts, or simply text. */
export type Content = string | readonly Part[];

/** How an execution ends, as its return value: no output is accepted after that. */
export interface Ending {
  readonly state: "completed" | "failed" | "rejected" | "input-required" | "auth-required";
  readonly message?: Content;
  readonly metadata?: Metadata;
  /** If a message arrived meanwhile, the task does not end but is executed again with it. */
  readonly unlessSpokenTo?: true;
}

export interface ArtifactOptions {
  readonly artifactId?: string;
  readonly name?: string;
  readonly description?: string;
  readonly metadata?: Metadata;
}

/** One artifact under construction. Each call resolves when there is room for more; it never rejects. */
export interface ArtifactWriter {
  readonly artifactId: string;
  text(piece: string): Promise<void>;
  part(part: Part): Promise<void>;
  /** Takes back all that was sent and begins anew with these parts; as the `last` piece, it closes the artifact too. */
  replace(parts: readonly Part[], options?: { readonly last?: boolean }): Promise<void>;
  /** Marks the end; with parts, they are the last piece. */
  close(parts?: readonly Part[]): Promise<void>;
}

export interface ExecutionContext {
  readonly taskId: string;
  readonly contextId: string;
  readonly owner: string;
  readonly message: Message;
  /** The task as it was when the execution began, with its history and artifacts. */
  readonly task: Task;
  /** True if an earlier execution was cut short by a crash. */
  readonly resumed: boolean;
  /** Aborted by cancel, by the loss of the lease and at shutdown. */
  readonly signal: AbortSignal;
  /** Beneath which its work is traced. */
  readonly trace?: Trace;
  working(message: Content, metadata?: Metadata): Promise<void>;
  artifact(options?: ArtifactOptions): ArtifactWriter;
  /** Further messages to this task, as they come while it works. */
  messages(): AsyncIterable<Message>;
  /** Waits for the next further message; undefined when none will come, or the signal was aborted. */
  nextMessage(signal?: AbortSignal): Promise<Message | undefined>;
  /** Takes all further messages that have arrived, including those being recorded. */
  heard(): Promise<readonly Message[]>;
  /** Records a note, which callers do not see; resolves when it is committed. */
  note(note: Json): Promise<void>;
  /** Records a note together with the next event. */
  noteLater(note: Json): void;
  /** The notes of this task, oldest first: from these an interrupted execution resumes. */
  notes(): Promise<readonly Json[]>;
  readonly memory: ContextMemory;
}

/** What an agent author writes. */
export interface Executor {
  /** Works on a task; returning nothing completes it, throwing fails it with the error's message. */
  execute(context: ExecutionContext): Promise<Ending | undefined>;
  /** Answers without a task, or returns nothing to let one be made. */
  reply?(message: Message): Promise<Content | undefined>;
  /** Whether `execute` can resume a task that a crash interrupted; otherwise such a task fails. */
  readonly resumes?: boolean;
  /**
   * Whether others work for it also while it does not: if its task is canceled then, it is executed once more, with
   * its signal aborted, so that it can stop them.
   */
  readonly delegates?: boolean;
}
