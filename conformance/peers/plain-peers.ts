import type { Peer } from "./peer.ts";
import { CARD_PATHS, peerCard } from "./peer-card.ts";
import { startPeerServer } from "./peer-server.ts";
import { startTaskPeer, type TaskPeerOptions } from "./task-peer.ts";

const RESULT = { artifactId: "result", name: "result" };

/** `count` tokens that differ: "t0 ", "t1 " … */
export function numberedTokens(count: number): string[] {
  return Array.from({ length: count }, (_, place) => `t${place} `);
}

/** An agent that streams these tokens at this pace, and completes. */
export function startSlowPeer({
  tokens = numberedTokens(20),
  pause = 20,
  ...options
}: TaskPeerOptions & { readonly tokens?: readonly string[]; readonly pause?: number } = {}): Promise<Peer> {
  return startTaskPeer(
    async (task) => {
      task.status("WORKING");
      await task.text(RESULT, tokens, pause);
      task.status("COMPLETED");
    },
    { name: "slow", ...options },
  );
}

/** An agent of v0.1, which streams, or with `streaming: false` has to be polled. */
export function startV01Peer(
  options: Omit<Parameters<typeof startSlowPeer>[0] & object, "dialect"> = {},
): Promise<Peer> {
  return startSlowPeer({ name: "v01", pause: 1, ...options, dialect: "0.1" });
}

/** An agent that asks one question and completes with the answer. */
export function startAskingPeer({
  question = "Which one?",
  ...options
}: TaskPeerOptions & { readonly question?: string } = {}): Promise<Peer> {
  return startTaskPeer(
    async (task) => {
      task.status("WORKING");
      const answer = await task.ask(question);
      await task.text(RESULT, ["You said: ", answer]);
      task.status("COMPLETED");
    },
    { name: "asking", ...options },
  );
}

/** An agent that works until it is canceled; forever with `acknowledgesCancel: false`. */
export function startEndlessPeer(options: TaskPeerOptions = {}): Promise<Peer> {
  return startTaskPeer(
    async (task) => {
      task.status("WORKING");
      task.piece({ ...RESULT, parts: [{ text: "Working" }] });
      await new Promise((resolve) => task.signal.addEventListener("abort", resolve));
    },
    { name: "endless", ...options },
  );
}

/** An agent that fails after half of its answer. */
export function startFailingPeer({
  reason = "The disk is on fire",
  ...options
}: TaskPeerOptions & { readonly reason?: string } = {}): Promise<Peer> {
  return startTaskPeer(
    async (task) => {
      task.status("WORKING");
      task.piece({ ...RESULT, parts: [{ text: "Half of the ans" }] });
      await task.pause(1);
      throw new Error(reason);
    },
    { name: "failing", ...options },
  );
}

/** An agent that sends a file: raw bytes with a name and a type. */
export function startFilePeer({
  file = { raw: Buffer.from("blue,3\n").toString("base64"), filename: "mugs.csv", mediaType: "text/csv" },
  ...options
}: TaskPeerOptions & {
  readonly file?: { readonly raw: string; readonly filename: string; readonly mediaType: string };
} = {}): Promise<Peer> {
  return startTaskPeer(
    async (task) => {
      task.status("WORKING");
      task.piece({ artifactId: "file", name: file.filename, parts: [file] }, { lastChunk: true });
      task.status("COMPLETED");
    },
    { name: "file", ...options },
  );
}

/** An agent of v1.0 that answers with a message, and makes no task. */
export async function startMessagePeer({
  text = "Just a word",
  ...options
}: TaskPeerOptions & { readonly text?: string } = {}): Promise<Peer> {
  const message = { messageId: "answer-1", role: "ROLE_AGENT", parts: [{ text }] };
  const server = await startPeerServer({
    card: (path, url) =>
      path === CARD_PATHS["1.0"] ? peerCard(url, { name: "message", ...options, dialect: "1.0" }) : undefined,
    async answer(call) {
      if (call.method === "SendMessage") return call.result({ message });
      if (call.method !== "SendStreamingMessage") return call.error(-32001, "There is no such task");
      const stream = call.stream();
      await stream.send({ message });
      stream.end();
    },
  });
  return { ...server, canceled: [] };
}
