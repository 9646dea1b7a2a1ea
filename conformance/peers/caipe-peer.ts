import { randomUUID } from "node:crypto";
import type { Json } from "@parley/a2a";
import { DIALECT_WRITERS, type DialectWriter } from "./dialect-writers.ts";
import type { JsonObject, Peer, PeerOptions } from "./peer.ts";
import { startTaskPeer } from "./task-peer.ts";

/** The answer of a CAIPE-style peer, and its pace. */
export interface CaipePeerOptions extends PeerOptions {
  readonly tokens?: readonly string[];
  /** The tool that it claims to use. */
  readonly tool?: string;
  /** Milliseconds between two tokens. */
  readonly pause?: number;
}

/** The answer of the first seed's sub-agent. */
export const CAIPE_TOKENS = ["H", "ere", " is", " the ArgoCD version: ", "v3.1.8+becb020"];

/** A sub-agent as the first seed draws it: v0.3, each token a status with a message of its own. */
export function startCaipePeer(options: CaipePeerOptions = {}): Promise<Peer> {
  const { tokens = CAIPE_TOKENS, tool = "version_service__version", pause = 1 } = options;
  const about = { name: "argocd", description: "Answers questions about Argo CD", ...options };
  return startTaskPeer(
    async (task) => {
      task.status("WORKING", `🔧 Calling tool: ${tool}`);
      task.status("WORKING", "✅ Tool completed");
      for (const token of tokens) {
        task.status("WORKING", token);
        await task.pause(pause);
      }
      const artifact = { artifactId: randomUUID(), name: "current_result", parts: [{ text: "" }] };
      task.piece(artifact, { lastChunk: true });
      task.status("COMPLETED");
    },
    { ...about, dialect: "0.3", writer: caipeWriter },
  );
}

/** v0.3 as the seed has it: no times, and a last status that names only its task. */
const caipeWriter: DialectWriter = {
  ...DIALECT_WRITERS["0.3"],
  event: (event, artifactIds) => asInSeed(DIALECT_WRITERS["0.3"].event(event, artifactIds) as JsonObject),
  task: (task) => withoutTime(DIALECT_WRITERS["0.3"].task(task) as JsonObject),
  sent: (task) => withoutTime(DIALECT_WRITERS["0.3"].task(task) as JsonObject),
};

function asInSeed(event: JsonObject): Json {
  if (event.status === undefined) return event;
  const { contextId, ...rest } = withoutTime(event);
  return event.final === true ? rest : { ...rest, contextId: contextId ?? "" };
}

function withoutTime(event: JsonObject): JsonObject {
  const { timestamp: _, ...status } = event.status as JsonObject;
  return { ...event, status };
}
