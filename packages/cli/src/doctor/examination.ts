import type { CardTrust } from "@parley/a2a";
import { isOver, type OperationRequests, type OperationResults, type ReadEvent } from "@parley/a2a/checks";
import { stateOf } from "./probes/conversation.ts";
import type { Answer, InterfaceProbe } from "./probes/interface-probe.ts";
import { usableInterfaces } from "./probes/interfaces.ts";
import { Wire } from "./wire.ts";

/** How many of the newest tasks are searched for one whose id was never received. */
const SEARCHED_TASKS = 50;

/** The tasks that the doctor started and that have not ended, so that none is left running. */
class UnfinishedTasks {
  readonly #tasks = new Map<string, InterfaceProbe>();
  /** Messages without an answer yet: the ids of their tasks are unknown. */
  readonly #messages = new Set<string>();

  /** Notes a message that is sent; the returned function notes its answer. */
  sending(
    probe: InterfaceProbe,
    { message }: OperationRequests["send"],
  ): (answer: Answer<OperationResults["send"]>) => void {
    const { messageId, taskId } = message;
    this.#messages.add(messageId);
    // In v0.1 the client chooses the task's id.
    const own = probe.dialect === "0.1" ? taskId : undefined;
    if (own !== undefined) this.#tasks.set(own, probe);
    return ({ value, problem }) => {
      // Without an answer, the task may have started all the same.
      if (problem !== undefined) return;
      this.#messages.delete(messageId);
      if (value && "task" in value) this.#note(probe, value.task.id, stateOf(value.task));
      else if (own !== undefined) this.#tasks.delete(own);
    };
  }

  observed(probe: InterfaceProbe, event: ReadEvent): void {
    if (!("taskId" in event) || event.taskId === undefined) return;
    if (event.kind !== "artifact") this.#note(probe, event.taskId, event.state);
  }

  canceled({ id }: OperationRequests["cancel"]): void {
    this.#tasks.delete(id);
  }

  /** Cancels them all in another examination, because this one may have been interrupted. */
  async cancelAll(examination: Examination): Promise<void> {
    await this.#search(examination);
    await Promise.all([...this.#tasks].map(([id, probe]) => probe.in(examination).ask("cancel", { id })));
  }

  #note(probe: InterfaceProbe, taskId: string, state: string): void {
    if (isOver(state)) this.#tasks.delete(taskId);
    else this.#tasks.set(taskId, probe);
  }

  /** Finds tasks of unanswered messages; only v1.0 can list tasks. */
  async #search(examination: Examination): Promise<void> {
    if (this.#messages.size === 0) return;
    const probe = (await usableInterfaces(examination)).find(({ dialect }) => dialect === "1.0");
    const answer = await probe?.ask("list", { pageSize: SEARCHED_TASKS, historyLength: 10 });
    for (const task of answer?.value?.tasks ?? [])
      if (probe && task.history?.some(({ messageId }) => this.#messages.has(messageId)))
        this.#note(probe, task.id, stateOf(task));
  }
}

export interface ExaminationOptions {
  readonly url: URL;
  /** The message that the agent is sent. */
  readonly message: string;
  readonly headers: ReadonlyMap<string, string>;
  /** Milliseconds for one answer or one stream. */
  readonly timeout: number;
  /** Other hosts that may be called: origins, or URLs of key sets. */
  readonly allow: readonly string[];
  readonly keys: CardTrust["keys"];
  readonly signal: AbortSignal;
}

const MAX_REQUESTS = 600;

/** The examination of one agent; every probe runs at most once. */
export class Examination {
  readonly options: ExaminationOptions;
  readonly wire: Wire;
  readonly unfinished = new UnfinishedTasks();
  readonly #probes = new Map<string, Promise<unknown>>();

  constructor(options: ExaminationOptions) {
    this.options = options;
    const { headers, timeout, signal } = options;
    const isOwn = (url: URL) => this.isOwn(url);
    this.wire = new Wire({ headers, timeout, signal, maxRequests: MAX_REQUESTS, isOwn });
  }

  /** Runs a probe the first time it is needed, and returns the same outcome afterwards. */
  once<T>(key: string, probe: () => Promise<T>): Promise<T> {
    const known = this.#probes.get(key);
    if (known) return known as Promise<T>;
    const made = probe();
    this.#probes.set(key, made);
    return made;
  }

  /** Whether a URL is on the agent's own host, or on one that was allowed. */
  isOwn(url: URL): boolean {
    const { url: named, allow } = this.options;
    const isSameHost = url.hostname === named.hostname || (isOwnMachine(url) && isOwnMachine(named));
    return isSameHost || allow.some((it) => URL.parse(it)?.origin === url.origin);
  }
}

/** Whether a URL names this machine. */
export function isOwnMachine({ hostname }: URL): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}
