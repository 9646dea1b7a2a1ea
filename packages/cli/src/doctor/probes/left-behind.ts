import { isOver, type OperationRequests, type OperationResults, type ReadEvent } from "@parley/a2a/checks";
import type { Examination } from "../examination.ts";
import { stateOf } from "./talk.ts";
import { type Answer, ask, type Way } from "./way.ts";
import { usableWays } from "./ways.ts";

/** Of what was asked last, so many are looked through for a task whose name was never told. */
const LOOKED_THROUGH = 50;

/** The tasks that the doctor made and that have not ended, so that none of them is left running. */
export class LeftBehind {
  readonly #tasks = new Map<string, Way>();
  /** The messages that have no answer yet: the tasks that they made are not known by name. */
  readonly #messages = new Map<string, Way>();

  /** A message goes out; what is returned takes note of its answer. */
  sending(
    way: Way,
    { message }: OperationRequests["send"],
  ): (answer: Answer<OperationResults["send"]>) => void {
    const { messageId, taskId } = message;
    this.#messages.set(messageId, way);
    // In v0.1 the doctor names its tasks.
    const own = way.endpoint.dialect === "0.1" ? taskId : undefined;
    if (own !== undefined) this.#tasks.set(own, way);
    return ({ value, problem }) => {
      // What was not answered may have been begun all the same.
      if (problem !== undefined) return;
      this.#messages.delete(messageId);
      if (value && "task" in value) this.#noted(way, value.task.id, stateOf(value.task));
      else if (own !== undefined) this.#tasks.delete(own);
    };
  }

  /** An event of a stream. */
  heard(way: Way, event: ReadEvent): void {
    if (!("taskId" in event) || event.taskId === undefined) return;
    if (event.kind !== "artifact") this.#noted(way, event.taskId, event.state);
  }

  /** The agent has taken a cancel. */
  canceled({ id }: OperationRequests["cancel"]): void {
    this.#tasks.delete(id);
  }

  /** Cancels them all, by an examination of its own: the one that made them may have been interrupted. */
  async cancel(examination: Examination): Promise<void> {
    await this.#find(examination);
    const left = [...this.#tasks];
    await Promise.all(
      left.map(([id, way]) => ask(examination, way, { operation: "cancel", request: { id } })),
    );
  }

  #noted(way: Way, taskId: string, state: string): void {
    if (isOver(state)) this.#tasks.delete(taskId);
    else this.#tasks.set(taskId, way);
  }

  /** Only v1.0 has a list: elsewhere a task whose name was not told is left to its agent. */
  async #find(examination: Examination): Promise<void> {
    if (this.#messages.size === 0) return;
    const way = (await usableWays(examination)).find(({ endpoint }) => endpoint.dialect === "1.0");
    if (!way) return;
    const request = { pageSize: LOOKED_THROUGH, historyLength: 10 };
    const { value } = await ask(examination, way, { operation: "list", request });
    for (const task of value?.tasks ?? [])
      if (task.history?.some(({ messageId }) => this.#messages.has(messageId)))
        this.#noted(way, task.id, stateOf(task));
  }
}
