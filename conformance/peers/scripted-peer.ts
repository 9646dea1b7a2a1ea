import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Json } from "@parley/a2a";
import type { JsonObject, Peer, PeerOptions } from "./peer.ts";
import type { PeerCall } from "./peer-call.ts";
import { CARD_PATHS, type PeerDialect, peerCard } from "./peer-card.ts";
import { startPeerServer } from "./peer-server.ts";
import { type ScriptedEvents, scriptedEvents } from "./scripted-events.ts";

/** A step of a scripted stream: send a result, write raw text, or wait. */
export type Step =
  | { readonly event: Json; readonly id?: number }
  | { readonly raw: string }
  | { readonly pause: number };

/** The steps of one stream; `say` makes events of its task. */
export type Steps = (say: ScriptedEvents) => Iterable<Step> | AsyncIterable<Step>;

/** A scripted peer's behaviour, and its deviations from its card. */
export interface ScriptedPeerOptions extends PeerOptions {
  readonly steps: Steps;
  /** Where it serves; a free one when left out. */
  readonly port?: number;
  /** Of the card only: what is sent is what the steps say. v1.0 when left out. */
  readonly dialect?: PeerDialect;
  /** The stored task; an empty completed one by default. */
  readonly record?: (say: ScriptedEvents) => Json;
  /** Replaces the dialect's card; `readings` is how often it was read before. */
  readonly card?: (own: JsonObject, readings: number) => JsonObject;
  /** Replaces the response to streaming calls. */
  readonly answerStream?: (call: PeerCall, record: Json) => void;
}

const METHODS: Readonly<Record<string, "send" | "stream" | "get" | "cancel">> = {
  ...{ SendMessage: "send", SendStreamingMessage: "stream", GetTask: "get", CancelTask: "cancel" },
  ...{ "message/send": "send", "message/stream": "stream", "tasks/get": "get", "tasks/cancel": "cancel" },
  ...{ "tasks/send": "send", "tasks/sendSubscribe": "stream" },
};

/** An agent whose streams are written by hand, right or wrong; it has no way to subscribe. */
export async function startScriptedPeer(options: ScriptedPeerOptions): Promise<Peer> {
  const { dialect = "1.0", record = (say: ScriptedEvents) => say.record("COMPLETED") } = options;
  const canceled: string[] = [];
  const tasks = new Map<string, ScriptedEvents>();
  let readings = 0;
  const begin = ({ params }: PeerCall) => {
    const { contextId = randomUUID() } = params.message as { contextId?: string };
    const taskId = typeof params.id === "string" ? params.id : randomUUID();
    const say = scriptedEvents({ taskId, contextId });
    tasks.set(taskId, say);
    return say;
  };
  const play = async (call: PeerCall, say: ScriptedEvents) => {
    const stream = call.stream();
    for await (const step of options.steps(say)) {
      if (!stream.isOpen || canceled.includes(say.taskId)) break;
      if ("pause" in step) await sleep(step.pause);
      else if ("raw" in step) await stream.raw(step.raw);
      else if (step.id === undefined) await stream.send(step.event);
      else await stream.raw(`id: ${step.id}\n`).then(() => stream.send(step.event));
    }
    if (canceled.includes(say.taskId)) await stream.send(say.status("CANCELED").event);
    stream.end();
  };
  const server = await startPeerServer({
    port: options.port,
    card(path, url) {
      if (path !== CARD_PATHS[dialect]) return undefined;
      const own = peerCard(url, { name: "scripted", ...options, dialect });
      return options.card?.(own, readings++) ?? own;
    },
    answer(call) {
      const verb = METHODS[call.method];
      if (verb === "send") return call.result({ task: record(begin(call)) });
      if (verb === "stream") {
        const say = begin(call);
        return options.answerStream ? options.answerStream(call, record(say)) : play(call, say);
      }
      const say = tasks.get(String(call.params.id));
      if (verb === undefined) return call.error(-32601, `There is no method ${call.method}`);
      if (!say) return call.error(-32001, "There is no such task");
      if (verb === "cancel") canceled.push(say.taskId);
      call.result(canceled.includes(say.taskId) ? say.record("CANCELED") : record(say));
    },
  });
  return { ...server, canceled };
}
