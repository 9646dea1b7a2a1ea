import { FencedError } from "@parley/journal";
import type { Message, Metadata, Task, TaskState } from "../../protocol/model.ts";
import { Trace } from "../../tracing/trace.ts";
import { ContextMemory } from "../context-memory.ts";
import type { Content, Ending, ExecutionContext, Executor } from "../executor.ts";
import { type OnRequest, readNotes, readTask } from "../reading/task-view.ts";
import { type Arrival, namesOf } from "../task-events.ts";
import { isInterrupted, isSettled, isTerminal } from "../task-states.ts";
import { ArtifactStream } from "./artifact-stream.ts";
import { MessageInbox } from "./message-inbox.ts";
import { isPassing, TaskWriter, type TaskWriterOptions } from "./task-writer.ts";

const STATE_OF: Record<Ending["state"], TaskState> = {
  completed: "TASK_STATE_COMPLETED",
  failed: "TASK_STATE_FAILED",
  rejected: "TASK_STATE_REJECTED",
  "input-required": "TASK_STATE_INPUT_REQUIRED",
  "auth-required": "TASK_STATE_AUTH_REQUIRED",
};

export interface ExecutionOptions
  extends Pick<TaskWriterOptions, "journal" | "lease" | "observer" | "coalesce" | "resumes"> {
  readonly owner: string;
  readonly task: Task;
  readonly message: Message;
  readonly resumed: boolean;
  readonly traceparent?: string | undefined;
}

/** Why an execution was aborted: its task was canceled. At a shutdown, or when the task is lost, there are others. */
export class TaskCanceledError extends Error {
  constructor() {
    super("The task was canceled");
  }
}

/** One turn of work on a task, whatever happens to the connections of those who watch it. */
export class TaskExecution {
  readonly #options: ExecutionOptions;
  readonly #writer: TaskWriter;
  readonly #inbox = new MessageInbox();
  readonly #abort = new AbortController();
  readonly #taken = new Set<string>();
  readonly #arriving = new Set<Promise<unknown>>();
  #over = false;
  #fenced = false;
  #suspended = false;

  constructor(options: ExecutionOptions) {
    this.#options = options;
    const { task, lease } = options;
    this.#writer = new TaskWriter({
      ...options,
      taskId: task.id,
      contextId: task.contextId,
      state: task.status.state,
      artifactIds: task.artifacts?.map(({ artifactId }) => artifactId) ?? [],
      onFailure: (error, fate) => {
        this.#fenced = error instanceof FencedError;
        this.#suspended ||= fate === "to be taken up";
        options.observer.failed(task.id, error);
        this.#stop(error);
      },
    });
    lease.signal.addEventListener("abort", () => {
      // How the task ends is not for us to say any more.
      this.#suspended ||= !this.#over;
      this.#stop(lease.signal.reason);
    });
  }

  get state(): TaskState {
    return this.#writer.state;
  }

  /** Runs the executor to its end, and the task with it; resolves with the last index when all is committed. */
  async run(executor: Executor): Promise<number> {
    const { task, lease, observer, resumes } = this.#options;
    try {
      let ending = await this.#execute(executor, this.#options);
      while (ending?.unlessSpokenTo && this.#isSpokenTo) ending = await this.#executeAgain(executor);
      this.#end(ending);
    } catch (error) {
      if (!this.#suspended) observer.failed(task.id, error);
      // A storage failure passes: the next owner resumes the task.
      this.#suspended ||= resumes && isPassing(error);
      this.#end({ state: "failed", message: error instanceof Error ? error.message : String(error) });
    }
    this.#inbox.end();
    const last = await this.#writer.flushed();
    this.#over = true;
    await lease.release();
    return last;
  }

  /** Does what another process asks for on behalf of its caller. */
  answer(request: Parameters<OnRequest>[0]): void {
    if ("cancelAsked" in request) void this.cancel();
    else if ("offered" in request) {
      const { offered: message, offer, key } = request;
      if (this.hasTaken(request)) return;
      // The offering process sees in the stream whether it was taken; the observer gets the error.
      this.deliver({ message, key, registrations: [] }, offer).catch(() => {});
    }
  }

  hasTaken(message: Parameters<typeof namesOf>[0]): boolean {
    return namesOf(message).some((name) => this.#taken.has(name));
  }

  /** Whether the task is no longer ours, though the executor has not noticed. */
  get lost(): boolean {
    return this.#fenced || (this.#options.lease.signal.aborted && !this.#over);
  }

  /** Hands a further message to the running work, once it is recorded; false means that it has ended, or is lost. */
  async deliver(arrival: Arrival, offer?: string): Promise<boolean> {
    if (isSettled(this.#writer.state) || this.lost) return false;
    for (const name of namesOf({ offer, key: arrival.key })) this.#taken.add(name);
    const recorded = this.#writer.receive(arrival, offer).then(() => this.#inbox.deliver(arrival.message));
    const arrived = recorded.catch(() => {}).finally(() => this.#arriving.delete(arrived));
    this.#arriving.add(arrived);
    try {
      await recorded;
    } catch (error) {
      if (error instanceof FencedError) return false;
      throw error;
    }
    return true;
  }

  written(): Promise<void> {
    return this.#writer.written();
  }

  /** Ends the task as canceled, unless it has ended before: whichever is written first has won. */
  async cancel(): Promise<void> {
    if (!isTerminal(this.#writer.state)) {
      this.#writer.move("TASK_STATE_CANCELED");
      this.#stop(new TaskCanceledError());
    }
    await this.#writer.flushed();
  }

  /** Stops the work but not the task, which its next owner resumes. */
  suspend(): void {
    this.#suspended = true;
    this.#stop(new Error("The agent is shutting down"));
  }

  get #isSpokenTo(): boolean {
    return this.#inbox.waits || this.#arriving.size > 0;
  }

  async #heard(): Promise<readonly Message[]> {
    while (this.#arriving.size > 0) await Promise.all(this.#arriving);
    return this.#inbox.take();
  }

  async #executeAgain(executor: Executor): Promise<Ending | undefined> {
    const { journal, task, message: first } = this.#options;
    const message = (await this.#heard()).at(-1) ?? first;
    await this.#writer.written();
    const now = await readTask(journal, task.id);
    return this.#execute(executor, { message, task: now.snapshot(), resumed: false });
  }

  async #execute(
    executor: Executor,
    { task, message, resumed }: Pick<ExecutionOptions, "task" | "message" | "resumed">,
  ): Promise<Ending | undefined> {
    const { journal, owner, traceparent } = this.#options;
    if (task.status.state !== "TASK_STATE_WORKING") this.#writer.move("TASK_STATE_WORKING");
    const context: ExecutionContext = {
      taskId: task.id,
      contextId: task.contextId,
      owner,
      message,
      task,
      resumed,
      signal: this.#abort.signal,
      trace: Trace.from(traceparent),
      working: (content, metadata) => {
        this.#say(content, metadata);
        return this.#writer.room();
      },
      artifact: (options = {}) => new ArtifactStream(this.#writer, options),
      messages: () => this.#inbox.messages(),
      nextMessage: (signal) => this.#inbox.next(signal),
      heard: () => this.#heard(),
      note: (note) => this.#writer.note(note),
      noteLater: (note) => this.#writer.noteLater(note),
      notes: () => readNotes(journal, task.id),
      memory: new ContextMemory(journal, { owner, contextId: task.contextId, taskId: task.id }),
    };
    return executor.execute(context);
  }

  // An executor that has asked its caller has returned: later output must not set the task to working again.
  #say(content: Content, metadata: Metadata | undefined): void {
    const { state } = this.#writer;
    if (!isInterrupted(state)) this.#writer.move("TASK_STATE_WORKING", content, metadata);
    else this.#options.observer.refused(this.#options.task.id, state, "TASK_STATE_WORKING");
  }

  #end(ending: Ending = { state: "completed" }): void {
    // What a canceled or suspended executor returns or throws is of no interest any more.
    if (this.#suspended || isTerminal(this.#writer.state)) return;
    this.#writer.move(STATE_OF[ending.state], ending.message, ending.metadata);
  }

  #stop(reason: unknown): void {
    this.#abort.abort(reason);
    this.#inbox.end();
  }
}
