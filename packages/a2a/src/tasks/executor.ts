import type { Json, Message, Metadata, Part, Task } from "../protocol/model.ts";
import type { Trace } from "../tracing/trace.ts";
import type { ContextMemory } from "./context-memory.ts";

/** What an agent says: parts, or simply text. */
export type Content = string | readonly Part[];

/** How an execution ends, as the value it returns: after that nothing more can be said. */
export interface Ending {
  readonly state: "completed" | "failed" | "rejected" | "input-required" | "auth-required";
  readonly message?: Content;
  readonly metadata?: Metadata;
  /** The task does not end if it was spoken to in the last moment: it is executed again, with all that was said. */
  readonly unlessSpokenTo?: true;
}

export interface ArtifactOptions {
  /** Chosen by us where it is not given. */
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

/** All that an executor sees and may do. */
export interface ExecutionContext {
  readonly taskId: string;
  readonly contextId: string;
  /** Who asked. */
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
  /** Says something while working. */
  working(message: Content, metadata?: Metadata): Promise<void>;
  artifact(options?: ArtifactOptions): ArtifactWriter;
  /** Further messages to this task, as they come while it works. */
  messages(): AsyncIterable<Message>;
  /** Takes the next further message out when it is there; undefined when none will come, or the signal was aborted. */
  nextMessage(signal?: AbortSignal): Promise<Message | undefined>;
  /** Takes out the further messages that have come and were not taken, once those that are just coming are here. */
  heard(): Promise<readonly Message[]>;
  /** Records something of the executor's own, which callers do not see; resolves when it is committed. */
  note(note: Json): Promise<void>;
  /** Like `note`, together with whatever is recorded next, the end of the task if need be. */
  noteLater(note: Json): void;
  /** What was noted in this task so far, oldest first: where an execution goes on that was cut short. */
  notes(): Promise<readonly Json[]>;
  /** What the tasks of this context share: what was said before, variables, metadata. */
  readonly memory: ContextMemory;
}

/** What an agent author writes. */
export interface Executor {
  /** Works on a task; returning nothing completes it, throwing fails it with the error's message. */
  execute(context: ExecutionContext): Promise<Ending | undefined>;
  /** Answers without a task, or returns nothing to let one be made. */
  reply?(message: Message): Promise<Content | undefined>;
  /** Whether `execute` can go on with a task that a crash interrupted; otherwise such a task fails. */
  readonly resumes?: boolean;
  /**
   * Whether others work for it also while it does not: if its task is canceled then, it is executed once more, with
   * its signal aborted, so that it can stop them.
   */
  readonly delegates?: boolean;
}
