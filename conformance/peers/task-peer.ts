import { randomUUID } from "node:crypto";
import type { Message } from "@parley/a2a";
import { DIALECT_WRITERS, type DialectWriter } from "./dialect-writers.ts";
import { type JsonObject, type Peer, type PeerOptions, textOfParams } from "./peer.ts";
import type { PeerCall } from "./peer-call.ts";
import { CARD_PATHS, type PeerDialect, peerCard } from "./peer-card.ts";
import { startPeerServer } from "./peer-server.ts";
import { PeerTask, type Script } from "./peer-task.ts";

/** The dialect and behaviour of a peer with tasks. */
export interface TaskPeerOptions extends PeerOptions {
  /** v1.0 when left out. */
  readonly dialect?: PeerDialect;
  /** Off: the card declares no streaming, and tasks have to be polled. */
  readonly streaming?: boolean;
  /** Off: cancel calls get no response, and the task continues. */
  readonly acknowledgesCancel?: boolean;
  /** Each task has a context that the peer chooses, and a message that names another is refused. */
  readonly choosesContext?: boolean;
  /** Replaces the dialect's encoder. */
  readonly writer?: DialectWriter;
}

/** An agent that keeps its tasks and does for each what the script says, in any dialect. */
export async function startTaskPeer(script: Script, options: TaskPeerOptions = {}): Promise<Peer> {
  const { dialect = "1.0", streaming = true } = options;
  const agent = new TaskPeer(script, { ...options, dialect, streaming });
  const server = await startPeerServer({
    card: (path, url) =>
      path === CARD_PATHS[dialect] ? peerCard(url, { ...options, dialect, streaming }) : undefined,
    answer: (call) => agent.answer(call),
  });
  const { url, requests } = server;
  const stop = async () => {
    // Open calls first: they break off, as when an agent is killed.
    await server.stop();
    agent.stop();
  };
  return { url, requests, canceled: agent.canceled, stop };
}

type Settled = TaskPeerOptions & { readonly dialect: PeerDialect; readonly streaming: boolean };

class TaskPeer {
  readonly canceled: string[] = [];
  readonly #tasks = new Map<string, PeerTask>();
  readonly #script: Script;
  readonly #writer: DialectWriter;
  readonly #options: Settled;

  constructor(script: Script, options: Settled) {
    this.#script = script;
    this.#options = options;
    this.#writer = options.writer ?? DIALECT_WRITERS[options.dialect];
  }

  answer(call: PeerCall): unknown {
    const { methods, task: write } = this.#writer;
    const { streaming } = this.#options;
    const { method, params } = call;
    if (method === methods.send || (method === methods.stream && streaming)) return this.#message(call);
    const task = this.#tasks.get(String(params.id));
    const isKnown =
      [methods.get, methods.cancel].includes(method) || (method === methods.subscribe && streaming);
    if (!isKnown) return call.error(-32601, `There is no method ${method}`);
    if (!task) return call.error(-32001, "There is no such task");
    if (method === methods.get) return call.result(write(task.record));
    if (method === methods.cancel) return this.#cancel(call, task);
    return task.isOver ? call.error(-32004, "The task is over") : this.#stream(call, task);
  }

  stop(): void {
    for (const task of this.#tasks.values()) task.cancel();
  }

  #message(call: PeerCall): unknown {
    const { params } = call;
    const isFirst = this.#options.dialect === "0.1";
    const message = params.message as unknown as Message;
    const id = isFirst ? String(params.id) : message.taskId;
    const known = id === undefined ? undefined : this.#tasks.get(id);
    if (known?.isOver) return call.error(-32004, "The task is over");
    if (id !== undefined && !known && !isFirst) return call.error(-32001, "There is no such task");
    const isElsewhere = known && message.contextId !== undefined && message.contextId !== known.contextId;
    if (isElsewhere && this.#options.choosesContext)
      return call.error(-32602, "The task belongs to another context");
    const task = known ?? this.#begin(id ?? randomUUID(), params);
    if (known) task.answer(said(params), textOfParams(params));
    if (call.method === this.#writer.methods.stream) return this.#stream(call, task);
    return this.#send(call, task);
  }

  #begin(id: string, params: JsonObject): PeerTask {
    const { contextId: asked = params.sessionId ?? randomUUID() } = params.message as JsonObject;
    const contextId = this.#options.choosesContext ? randomUUID() : asked;
    const task = new PeerTask({ id, contextId: String(contextId) }, said(params));
    this.#tasks.set(id, task);
    // The caller gets the task before any update.
    setImmediate(async () => {
      try {
        await this.#script(task, textOfParams(params));
      } catch (error) {
        task.status("FAILED", error instanceof Error ? error.message : String(error));
      }
    });
    return task;
  }

  async #send(call: PeerCall, task: PeerTask): Promise<void> {
    const { returnImmediately, blocking } = (call.params.configuration ?? {}) as JsonObject;
    const atOnce = this.#options.dialect === "0.1" && !this.#options.streaming;
    if (!atOnce && returnImmediately !== true && blocking !== false) await task.settled();
    call.result(this.#writer.sent(task.record));
  }

  async #stream(call: PeerCall, task: PeerTask): Promise<void> {
    const stream = call.stream();
    for await (const event of task.follow()) {
      if (!stream.isOpen) return;
      await stream.send(this.#writer.event(event, task.artifactIds));
    }
    stream.end();
  }

  #cancel(call: PeerCall, task: PeerTask): void {
    this.canceled.push(task.id);
    if (this.#options.acknowledgesCancel === false) return;
    const wasOver = task.isOver;
    task.cancel();
    if (wasOver) call.error(-32002, "The task is over");
    else call.result(this.#writer.task(task.record));
  }
}

/** The caller's message in the history. */
function said(params: JsonObject): Message {
  const { messageId = randomUUID() } = params.message as { messageId?: string };
  return { messageId, role: "ROLE_USER", parts: [{ text: textOfParams(params) }] };
}
