import type { CardTrust } from "@parley/a2a";
import { isOver, type OperationRequests, type OperationResults, type ReadEvent } from "@parley/a2a/checks";
import { stateOf } from "./probes/talk.ts";
import { type Answer, ask, type Way } from "./probes/way.ts";
import { usableWays } from "./probes/ways.ts";
import { Wire } from "./wire.ts";

/** Of what was asked last, so many are looked through for a task whose name was never told. */
const LOOKED_THROUGH = 50;

/** The tasks that the doctor made and that have not ended, so that none of them is left running. */
class LeftBehind {
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

export interface ExaminationOptions {
  readonly url: URL;
  /** What the agent is asked. */
  readonly message: string;
  readonly headers: ReadonlyMap<string, string>;
  /** Milliseconds for one answer, or one stream. */
  readonly timeout: number;
  /** Other hosts that may be asked: origins, or URLs of key sets. */
  readonly allow: readonly string[];
  readonly keys: CardTrust["keys"];
  readonly signal: AbortSignal;
}

/** Requests of one examination, whatever the agent claims. */
const MAX_REQUESTS = 600;

/** One agent on the couch: what was asked once is not asked again. */
export class Examination {
  readonly options: ExaminationOptions;
  readonly wire: Wire;
  /** What it has begun at the agent, and not yet seen the end of. */
  readonly left = new LeftBehind();
  readonly #known = new Map<string, Promise<unknown>>();

  constructor(options: ExaminationOptions) {
    this.options = options;
    const { headers, timeout, signal } = options;
    this.wire = new Wire({
      headers,
      timeout,
      signal,
      mostRequests: MAX_REQUESTS,
      isOwn: (url) => this.isOwn(url),
    });
  }

  /** The outcome of a probe, made when it is first asked for. */
  once<T>(key: string, make: () => Promise<T>): Promise<T> {
    const known = this.#known.get(key);
    if (known) return known as Promise<T>;
    const made = make();
    this.#known.set(key, made);
    return made;
  }

  /** Whether this is a host of the agent itself: the one that was named, or one that was allowed. */
  isOwn(url: URL): boolean {
    const { url: named, allow } = this.options;
    return isSameHost(url, named) || allow.some((it) => URL.parse(it)?.origin === url.origin);
  }
}

const OWN_MACHINE = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Whether both are one host; this machine has several names. */
function isSameHost(one: URL, other: URL): boolean {
  return one.hostname === other.hostname || (isOwnMachine(one) && isOwnMachine(other));
}

export function isOwnMachine({ hostname }: URL): boolean {
  return OWN_MACHINE.test(hostname);
}
