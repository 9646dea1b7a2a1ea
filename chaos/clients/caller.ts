import { setTimeout as sleep } from "node:timers/promises";
import { NODES, type NodeName } from "../schedule/fault.ts";
import type { SeededRandom } from "../schedule/seeded-random.ts";
import { HOSTED, SOLE } from "../world/agent-files.ts";
import { wordsOf } from "../world/spoken-words.ts";
import type { Belongings } from "./belongings.ts";
import type { ClientJournal } from "./client-journal.ts";
import { openExchange } from "./http-exchange.ts";
import { SseFrames } from "./sse-frames.ts";

const IDLE_TIMEOUT_MS = 6_000;
const AGAIN_MS = 400;
const MAX_CALL_MS = 60_000;
const ENDED = /"state":"TASK_STATE_(COMPLETED|FAILED|CANCELED|REJECTED)"/;

export interface CallerOptions {
  readonly name: string;
  readonly journal: ClientJournal;
  readonly urlOf: (node: NodeName) => string;
  readonly key: string;
  readonly random: SeededRandom;
  /** Records the crew's resources. */
  readonly belongings: Belongings;
  /** The webhook URL. */
  readonly webhook: string;
  readonly signal: AbortSignal;
}

/** The outcome of a call. */
interface Call {
  readonly key: string;
  readonly text: string;
  taskId: string | undefined;
  lastId: string | undefined;
  isOver: boolean;
}

/** An external agent that calls the supervisor over A2A and resumes after a cut, on any node. */
export class Caller {
  readonly #options: CallerOptions;
  #calls = 0;

  constructor(options: CallerOptions) {
    this.#options = options;
  }

  async talk(): Promise<void> {
    const { random, signal, name } = this.#options;
    while (!signal.aborted) {
      const key = `k${name}x${++this.#calls}`;
      const words = wordsOf({ key, tokens: random.between(10, 60), entered: false });
      await this.#carryOut({
        ...{ key, text: `ask ${random.pick([...HOSTED, SOLE])}: ${words}` },
        ...{ taskId: undefined, lastId: undefined, isOver: false },
      });
    }
  }

  async #carryOut(call: Call): Promise<void> {
    const { journal, random, urlOf, signal } = this.#options;
    const began = performance.now();
    while (!call.isOver && !signal.aborted && performance.now() - began < MAX_CALL_MS) {
      const node = random.pick(NODES);
      try {
        await this.#connect(call, urlOf(node), node);
      } catch (error) {
        journal.note({ cut: (error as Error).message, call: call.key });
      }
      if (!call.isOver) await sleep(AGAIN_MS);
    }
  }

  async #connect(call: Call, url: string, node: NodeName): Promise<void> {
    const { journal, signal, key: shown, belongings } = this.#options;
    const { key, taskId, lastId } = call;
    const answer = await openExchange(`${url}/a2a/jsonrpc`, {
      ...{ method: "POST", idleTimeoutMs: IDLE_TIMEOUT_MS, signal, key: shown },
      headers: {
        ...{ "a2a-version": "1.0", "idempotency-key": key },
        ...(lastId !== undefined && { "last-event-id": lastId }),
      },
      body: { jsonrpc: "2.0", id: 1, ...(taskId ? subscribe(taskId) : this.#message(call)) },
    });
    const keep = journal.openStream({
      node,
      call: key,
      lastId: lastId ?? null,
      subscribed: taskId !== undefined,
    });
    const frames = new SseFrames();
    let all = "";
    for await (const bytes of answer as AsyncIterable<Buffer>) {
      keep(bytes);
      all = (all + bytes).slice(0, 10_000);
      for (const { id, data } of frames.push(bytes)) {
        call.lastId = id ?? call.lastId;
        call.taskId ??= /"(?:task":\{"id|taskId)":"([^"]+)"/.exec(data)?.[1];
        if (call.taskId && taskId === undefined) {
          journal.note({ call: key, taskId: call.taskId });
          belongings.task(call.taskId);
        }
        if (ENDED.test(data)) call.isOver = true;
      }
    }
    // An ended task cannot be subscribed to, but its outcome can be read.
    if (all.includes("-32004")) call.isOver = true;
  }

  #message({ key, text }: Call): object {
    const message = { messageId: key, role: "ROLE_USER", parts: [{ text }] };
    const taskPushNotificationConfig = { url: this.#options.webhook, id: "told" };
    return {
      method: "SendStreamingMessage",
      params: { message, configuration: { taskPushNotificationConfig } },
    };
  }
}

function subscribe(id: string): object {
  return { method: "SubscribeToTask", params: { id } };
}
