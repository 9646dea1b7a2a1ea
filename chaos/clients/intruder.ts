import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { NODES, type NodeName } from "../schedule/fault.ts";
import type { SeededRandom } from "../schedule/seeded-random.ts";
import {
  type Attempt,
  BORROWING,
  CHOOSING,
  IMPERSONATING,
  IMPORTING,
  INTRUSION,
  LISTING,
  NAMING,
  RAW,
} from "./attempts.ts";
import type { Belongings } from "./belongings.ts";
import type { ClientJournal } from "./client-journal.ts";
import { exchange, type HttpAnswer, type HttpRequest } from "./http-exchange.ts";

const IDLE_TIMEOUT_MS = 5_000;
const EVERY_MS = 250;

/** An intruder's identity: an editor or viewer of another workspace, or unauthenticated. */
const GUISES = ["intruder", "onlooker", "nobody", "forged", "revoked"] as const;
/** The landlord owns the other workspace. */
export type Guise = (typeof GUISES)[number] | "landlord";
const UNKNOWN = ["nobody", "forged", "revoked"] as const;
/** How often each kind of request comes. */
const KINDS = [
  ...(["name", "name", "name", "name", "name", "borrow"] as const),
  ...(["list", "list", "raw", "import", "choose", "impersonate", "revoke"] as const),
] as const;

export interface IntruderOptions {
  readonly journal: ClientJournal;
  /** The workspace whose resources they may see. */
  readonly workspace: string;
  readonly urlOf: (node: NodeName) => string;
  readonly random: SeededRandom;
  readonly belongings: Belongings;
  /** The credentials of each guise. */
  readonly keys: Readonly<Record<Guise, string | undefined>>;
  readonly signal: AbortSignal;
}

/** A client that repeatedly requests other users' resources and missing ones, whatever state the platform is in. */
export class Intruder {
  readonly #options: IntruderOptions;
  /** The crew's task ids that the intruder has reused for its own tasks: requests for them prove nothing any more. */
  readonly #ownTasks = new Set<string>();

  constructor(options: IntruderOptions) {
    this.#options = options;
    options.journal.note({ workspace: options.workspace });
  }

  async reach(): Promise<void> {
    const { random, signal, belongings } = this.#options;
    while (!signal.aborted) {
      const names = belongings.pick(random);
      const kind = random.pick(KINDS);
      if (!names || kind === "list") await this.#list(random.pick(LISTING), {});
      else if (kind === "name") await this.#reachFor(random.pick(NAMING), names);
      else if (kind === "raw") await this.#tryForbidden(random.pick(RAW), random.pick(UNKNOWN), names);
      else if (kind === "import")
        await this.#tryForbidden(random.pick(IMPORTING), random.pick(GUISES), names);
      else if (kind === "impersonate")
        await this.#tryForbidden(random.pick(IMPERSONATING), "landlord", names);
      else if (kind === "revoke") await this.#outliveKey();
      else if (kind === "choose")
        await this.#choose(random.pick(CHOOSING), { ...names, fresh: randomUUID() });
      else await this.#list(random.pick(BORROWING), { ...names, fresh: randomUUID() });
      await sleep(EVERY_MS);
    }
  }

  /** Makes each rare attempt once, without faults. */
  async reachInCalm(): Promise<void> {
    const { belongings, random } = this.#options;
    const names = belongings.pick(random);
    if (!names) return;
    for (const attempt of CHOOSING) await this.#choose(attempt, { ...names, fresh: randomUUID() });
    for (const attempt of IMPERSONATING) await this.#tryForbidden(attempt, "landlord", names);
    await this.#outliveKey();
  }

  /** Requests the resource, and a missing one in the same way. */
  async #reachFor(attempt: Attempt, names: Record<string, string>): Promise<void> {
    const { random, journal } = this.#options;
    const [guise, node] = [random.pick(GUISES), random.pick(NODES)];
    if (this.#ownTasks.has(names.taskId ?? "") && JSON.stringify(attempt).includes("{taskId}")) return;
    const missing = {
      ...names,
      ...{ id: unlike(names.id), taskId: unlike(names.taskId), fileId: unlike(names.fileId) },
    };
    const real = await this.#ask(attempt, guise, node, names);
    const none = await this.#ask(attempt, guise, node, missing);
    if (real)
      journal.note({
        ...{ attempt: attempt.name, guise, node, real: anonymous(real, names) },
        ...(none && { none: anonymous(none, missing) }),
      });
  }

  /** Requests something that is always forbidden to them. */
  async #tryForbidden(attempt: Attempt, guise: Guise, names: Record<string, string>): Promise<void> {
    const { random, journal } = this.#options;
    const node = random.pick(NODES);
    const forbidden = await this.#ask(attempt, guise, node, names);
    if (forbidden) journal.note({ attempt: attempt.name, guise, node, forbidden });
  }

  /** Creates their own resource under an id that the crew already uses. */
  async #choose(attempt: Attempt, names: Record<string, string>): Promise<void> {
    const { random, journal } = this.#options;
    const [guise, node] = ["intruder", random.pick(NODES)] as const;
    if (JSON.stringify(attempt).includes("{taskId}")) this.#ownTasks.add(names.taskId ?? "");
    const chosen = await this.#ask(attempt, guise, node, names);
    if (chosen) journal.note({ attempt: attempt.name, guise, node, chosen: anonymous(chosen, names) });
  }

  /** Revokes a key while the body of a request with it is being sent. */
  async #outliveKey(): Promise<void> {
    const { random, journal, urlOf, keys } = this.#options;
    const node = random.pick(NODES);
    const ask = (method: string, path: string, more: Partial<HttpRequest> = {}) =>
      exchange(`${urlOf(node)}/api/v1${path}`, {
        ...{ method, idleTimeoutMs: IDLE_TIMEOUT_MS, key: keys.landlord, ...more },
      });
    try {
      const { key, secret } = JSON.parse((await ask("POST", "/keys", { body: { name: "short" } })).text);
      const midway = async () => {
        const { status } = await ask("DELETE", `/keys/${key.id}`);
        if (status >= 300) throw new Error("The key is still good");
      };
      const forbidden = await ask("POST", "/sessions", { key: secret, body: { title: INTRUSION }, midway });
      journal.note({ attempt: "a body whose key was revoked", guise: "landlord", node, forbidden });
    } catch {
      // The connection was cut, or the platform could not revoke the key.
    }
  }

  async #list(attempt: Attempt, names: Record<string, string>): Promise<void> {
    const { random, journal } = this.#options;
    const [guise, node] = [random.pick(GUISES), random.pick(NODES)];
    const listed = await this.#ask(attempt, guise, node, names);
    if (listed) journal.note({ attempt: attempt.name, guise, node, listed: anonymous(listed, names) });
  }

  /** The response; undefined if the connection was cut. */
  async #ask(
    { method, path, body, version = "1.0" }: Attempt,
    guise: Guise,
    node: NodeName,
    names: Record<string, string>,
  ): Promise<HttpAnswer | undefined> {
    const { urlOf, keys } = this.#options;
    const filled = (text: string) => text.replace(/\{(\w+)\}/g, (_, name: string) => names[name] ?? "");
    try {
      return await exchange(urlOf(node) + filled(path), {
        ...{
          method,
          rawPath: filled(path),
          idleTimeoutMs: IDLE_TIMEOUT_MS,
          isFirstPiece: true,
          key: keys[guise],
          headers: version === "1.0" ? { "a2a-version": version } : {},
        },
        ...(body && { body: JSON.parse(filled(JSON.stringify(body))) }),
      });
    } catch {
      return undefined;
    }
  }
}

/** An unused id of the same length and alphabet. */
function unlike(id = ""): string {
  const last = randomBytes(6).toString("hex");
  return id.slice(0, -last.length) + last;
}

/** The response with placeholders instead of ids, so that two can be compared byte for byte. */
function anonymous(answer: HttpAnswer, names: Record<string, string>): HttpAnswer {
  const without = (text: string) =>
    Object.entries(names).reduce((left, [name, value]) => left.replaceAll(value, `{${name}}`), text);
  return { ...answer, text: without(answer.text), headers: without(answer.headers) };
}
