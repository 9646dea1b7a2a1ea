import type { Caller } from "../caller.ts";
import type { Executor } from "../executor.ts";
import { TaskView } from "../reading/task-view.ts";
import { type ExecutionOptions, TaskExecution } from "./task-execution.ts";

export interface RunningTask {
  readonly view: TaskView;
  readonly execution: TaskExecution;
  /** Resolves when the work has ended, its last event is committed and the lease given back. */
  readonly ended: Promise<void>;
}

interface Turn extends Omit<ExecutionOptions, "journal" | "observer" | "coalesce" | "resumes"> {
  readonly dialect: Caller["dialect"];
  /** The index of the last event before it. */
  readonly after: number;
}

export interface RunningTasksOptions extends Pick<ExecutionOptions, "journal" | "observer" | "coalesce"> {
  readonly executor: Executor;
}

/** The executions under way in this process: at most one a task. */
export class RunningTasks {
  readonly #options: RunningTasksOptions;
  readonly #running = new Map<string, RunningTask>();
  /** Those that were lost and have not noticed are among these. */
  readonly #underWay = new Set<Promise<void>>();
  #suspended = false;

  constructor(options: RunningTasksOptions) {
    this.#options = options;
  }

  /** The task's execution, as long as it is this process that has the task. */
  get(taskId: string): RunningTask | undefined {
    const running = this.#running.get(taskId);
    return running?.execution.lost ? undefined : running;
  }

  /** Starts a turn, which then runs in the background. */
  start(turn: Turn): RunningTask {
    const { task, dialect, resumed } = turn;
    const { id } = task;
    const { resumes = false } = this.#options.executor;
    const artifactIds = task.artifacts?.map(({ artifactId }) => artifactId) ?? [];
    this.#options.observer.started(id, { dialect, resumed, artifactIds });
    const execution = new TaskExecution({ ...this.#options, ...turn, resumes });
    // Requests from before this turn are repeated by callers that still wait.
    const view = new TaskView(this.#options.journal, id, (request, index) => {
      if (index > turn.after) execution.answer(request);
    });
    const ended: Promise<void> = this.#run(id, execution, view).finally(() => this.#underWay.delete(ended));
    const running = { view, execution, ended };
    this.#running.set(id, running);
    this.#underWay.add(ended);
    // A turn accepted during shutdown is recorded, and executed by the next owner.
    if (this.#suspended) execution.suspend();
    return running;
  }

  async #run(id: string, execution: TaskExecution, view: TaskView): Promise<void> {
    try {
      const last = await execution.run(this.#options.executor);
      // Those who wait for the end must find it in the view.
      await view.until(({ index }) => index >= last);
    } catch (error) {
      this.#options.observer.failed(id, error);
    } finally {
      // One that was lost may have come back here meanwhile.
      if (this.#running.get(id)?.execution === execution) this.#running.delete(id);
      this.#options.observer.ended(id, execution.state);
      view.close();
    }
  }

  /** Stops all work, and any that would begin, without ending a task. */
  suspend(): void {
    this.#suspended = true;
    for (const { execution } of this.#running.values()) execution.suspend();
  }

  async idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }
}
