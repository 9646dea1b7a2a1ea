import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { NODES, type NodeName } from "../schedule/fault.ts";
import type { SeededRandom } from "../schedule/seeded-random.ts";
import { FORGER, HOSTED, LIBRARIAN } from "../world/agent-files.ts";
import { CREW } from "../world/keys.ts";
import { ATTACK, fileWordsOf, wordsOf } from "../world/spoken-words.ts";
import type { ClientJournal } from "./client-journal.ts";
import { exchange } from "./http-exchange.ts";

const EVERY_MS = 1_000;
const HOLD_MS = 2_000;
const IDLE_TIMEOUT_MS = 5_000;
/** Without any other fault, even a busy machine answers within this time. */
const CALM_PATIENCE_MS = 20_000;
const ANNOUNCED_BYTES = 4 * 1_048_576;
const SENT_BYTES = 262_144;

const LETTER_FILE = "letter.txt";
const FETCHES = [LETTER_FILE, `../${CREW}/${LETTER_FILE}`].map((path) => ({
  agent: LIBRARIAN,
  content: fileWordsOf({ verb: "fetch", path }),
}));
const IMPORTED_APPROVALS = 3_000;
const TOLD_MESSAGES = 900;

/** A session with thousands of answered approvals. */
const LARGE_IMPORT = [
  ["session_created", { workspace: "w", owner: "o", title: "large" }],
  ["user_message", { messageId: "m", content: "Hello" }],
  [
    "agent_start",
    { runId: "r", agent: "a", agentUrl: "u", contextId: "c", inputSnapshotHash: "h", messageId: "m" },
  ],
  ...Array.from({ length: IMPORTED_APPROVALS }, (_, at) => [
    ["approval_requested", { runId: "r", approvalId: `a${at}`, question: "May I?" }],
    ["approval_answered", { runId: "r", approvalId: `a${at}`, decision: "approved" }],
  ]).flat(),
  ["agent_token_start", { runId: "r", artifactId: "answer", channel: "answer" }],
  ["agent_token", { runId: "r", artifactId: "answer", text: "Done" }],
  ["agent_complete", { runId: "r", state: "completed", messageId: "n", content: "Done" }],
]
  .map(([type, payload]) => JSON.stringify({ type, payload }))
  .join("\n");

/** A conversation from another application that continues here, for AG-UI and the AI SDK. */
function longHistory(): object {
  const words = wordsOf({ key: `${ATTACK}${randomUUID().slice(0, 8)}`, tokens: 3, entered: false });
  const contents = Array.from({ length: TOLD_MESSAGES }, (_, at) => `Message ${at}`);
  const messages = [...contents, `ask teller: ${words}`].map((content, at) => ({
    ...{ id: randomUUID(), role: at % 2 === 0 ? "user" : "assistant", content },
    parts: [{ type: "text", text: content }],
  }));
  return { id: randomUUID(), threadId: randomUUID(), runId: randomUUID(), messages };
}

/** A tool argument with a backtracking pattern, and its worst-case input. */
const TAG = { type: "string", pattern: "^(([a-z])+.)+[A-Z]([a-z])+$" };
const FIND_TAG = {
  ...{ name: "find_tag", description: "Finds." },
  parameters: { type: "object", properties: { tag: TAG }, required: ["tag"] },
};
const BACKTRACKING = {
  ...{ model: "parley", tools: [{ type: "function", function: FIND_TAG }] },
  messages: [{ role: "user", content: `find tag "${"a".repeat(40)}"` }],
};

export interface AttackerOptions {
  readonly journal: ClientJournal;
  readonly urlOf: (node: NodeName) => string;
  readonly random: SeededRandom;
  /** Its API key. */
  readonly key: string;
  /** The key of a regular user who sends requests during the attack. */
  readonly bystander: string;
  readonly signal: AbortSignal;
}

/** Starts an attack on a node with this many repetitions; resolves, once it is running, with the function that ends it. */
type Attack = (url: string, times: number) => Promise<() => void>;

/** A client that exhausts a node's resources while a probe checks that other users are still served. */
export class Attacker {
  readonly #options: AttackerOptions;
  readonly #attacks: Readonly<Record<string, Attack>> = {
    "silent connections": (url, times) => this.#fallSilent(url, times),
    "aborted uploads": (url, times) => this.#abortUploads(url, times),
    "background runs": (url, times) => this.#flood(url, times),
    "large imports": async (url) => this.#send(url, "/api/v1/sessions/import", { content: LARGE_IMPORT }),
    "long histories": async (url) => this.#send(url, "/agui", longHistory()),
    "long chats": async (url) => this.#send(url, "/ai", longHistory()),
    "backtracking patterns": async (url) =>
      this.#send(url, "/offline-model/v1/chat/completions", BACKTRACKING),
    "forged plans": (url) => this.#ask(url, [{ content: `ask ${FORGER}: speak` }]),
    "others' files": (url) => this.#ask(url, FETCHES),
  };

  constructor(options: AttackerOptions) {
    this.#options = options;
  }

  /** Runs one attack after another, whatever state the platform is in. */
  async attack(): Promise<void> {
    const { random, signal } = this.#options;
    const names = Object.keys(this.#attacks) as [string, ...string[]];
    while (!signal.aborted) {
      await this.#attackOne(random.pick(NODES), { names: [random.pick(names)], times: 4, isCalm: false });
      await sleep(EVERY_MS);
    }
  }

  /** Runs all attacks at once, without any other fault. */
  async attackInCalm(): Promise<void> {
    const all = { names: Object.keys(this.#attacks), times: 8, isCalm: true };
    const { urlOf, bystander, key } = this.#options;
    const url = urlOf(NODES[0]);
    // First, because a user over quota is rejected before any agent is called.
    for (const verb of ["store", "fetch"] as const)
      await askOnce(url, bystander, { agent: LIBRARIAN, content: fileWordsOf({ verb, path: LETTER_FILE }) });
    for (const fetch of FETCHES) await askOnce(url, key, fetch);
    for (const node of NODES) await this.#attackOne(node, all);
  }

  async #attackOne(
    node: NodeName,
    { names, times, isCalm }: { names: readonly string[]; times: number; isCalm: boolean },
  ): Promise<void> {
    const { journal, urlOf, bystander: key } = this.#options;
    const url = urlOf(node);
    const ends = await Promise.all(
      names.map((name) => this.#attacks[name]?.(url, times).catch(() => undefined)),
    );
    const asked = Date.now();
    const probe = await exchange(`${url}/api/v1/sessions?limit=1`, {
      ...{ method: "GET", idleTimeoutMs: isCalm ? CALM_PATIENCE_MS : IDLE_TIMEOUT_MS, key },
    }).catch(() => undefined);
    journal.note({
      ...{ attack: names.join(", "), node, asked, answered: Date.now(), isCalm },
      ...(probe && { status: probe.status, retryAfter: probe.retryAfter }),
    });
    await sleep(isCalm ? 0 : HOLD_MS, undefined, { signal: this.#options.signal }).catch(() => {});
    for (const end of ends) end?.();
  }

  /** Silent connections that stay open on this side when the node closes them. */
  async #fallSilent(url: string, times: number): Promise<() => void> {
    const { port } = new URL(url);
    const sockets: Socket[] = [];
    for (let n = 0; n < times * 8; n++) {
      const socket = connect({ port: Number(port), host: "127.0.0.1", allowHalfOpen: true }).on(
        "error",
        () => {},
      );
      sockets.push(socket);
      await Promise.race([once(socket, "connect"), once(socket, "close")]);
    }
    return () => {
      for (const socket of sockets) socket.destroy();
    };
  }

  /** Uploads that announce a large body, send part of it, and abort. */
  async #abortUploads(url: string, times: number): Promise<() => void> {
    const uploads = Array.from({ length: times }, () => {
      const upload = request(`${url}/api/v1/files`, {
        ...{ method: "POST", agent: false },
        headers: {
          ...{ authorization: `Bearer ${this.#options.key}`, "x-file-name": "never.bin" },
          ...{ "content-type": "application/octet-stream", "content-length": String(ANNOUNCED_BYTES) },
        },
      });
      upload.on("error", () => {}).on("response", (answer) => answer.resume());
      upload.write(Buffer.alloc(SENT_BYTES));
      return upload;
    });
    return () => {
      for (const upload of uploads) upload.destroy();
    };
  }

  /** One slow request whose response is not awaited. */
  #send(url: string, path: string, body: object): () => void {
    const leaving = new AbortController();
    const { signal } = leaving;
    const { key } = this.#options;
    exchange(url + path, { method: "POST", idleTimeoutMs: CALM_PATIENCE_MS, key, body, signal }).catch(
      () => {},
    );
    return () => leaving.abort();
  }

  /** Background runs. */
  #flood(url: string, times: number): Promise<() => void> {
    const questions = Array.from({ length: times }, () => {
      const request = { key: `${ATTACK}${randomUUID().slice(0, 8)}`, tokens: 3, entered: false };
      return { agent: HOSTED[0], content: wordsOf(request) };
    });
    return this.#ask(url, questions);
  }

  async #ask(url: string, questions: readonly Question[]): Promise<() => void> {
    for (const question of questions) await post(url, this.#options.key, question);
    return () => {};
  }
}

interface Question {
  /** The supervisor by default. */
  readonly agent?: string;
  readonly content: string;
}

interface PostedRun {
  readonly sessionId: string;
  readonly id: string;
  readonly status: string;
}

/** Sends a question in a new session; undefined if it was rejected. */
async function post(url: string, key: string, { agent, content }: Question): Promise<PostedRun | undefined> {
  const send = async (path: string, body: object) => {
    const request = { method: "POST", idleTimeoutMs: IDLE_TIMEOUT_MS, key, body } as const;
    return JSON.parse((await exchange(`${url}/api/v1${path}`, request)).text) as {
      readonly session?: { readonly id: string };
      readonly run?: PostedRun;
    };
  };
  const { session } = await send("/sessions", { title: "attack", ...(agent && { agent }) });
  return session && (await send(`/sessions/${session.id}/messages`, { content })).run;
}

/** Sends a question and resolves when its run has ended, or after a long timeout. */
async function askOnce(url: string, key: string, question: Question): Promise<void> {
  const posted = await post(url, key, question);
  const until = Date.now() + CALM_PATIENCE_MS;
  for (let run = posted; run?.status === "running" && Date.now() < until; ) {
    await sleep(200);
    const path = `/api/v1/sessions/${run.sessionId}/runs/${run.id}`;
    const looked = await exchange(url + path, { method: "GET", idleTimeoutMs: IDLE_TIMEOUT_MS, key });
    run = (JSON.parse(looked.text) as { readonly run: PostedRun }).run;
  }
}
