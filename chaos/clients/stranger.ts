import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { NODES, type NodeName } from "../schedule/fault.ts";
import type { SeededRandom } from "../schedule/seeded-random.ts";
import { type Attempt, BORROWING, IMPORTING, LISTING, NAMING, RAW } from "./attempts.ts";
import type { Belongings } from "./belongings.ts";
import type { ClientJournal } from "./client-journal.ts";
import { exchange, type HttpAnswer } from "./http-exchange.ts";

const PATIENCE_MS = 5_000;
const EVERY_MS = 250;

/** Who a stranger is taken for: an editor or a viewer of another workspace, or nobody whom the platform knows. */
export const GUISES = ["stranger", "onlooker", "nobody", "forged", "revoked"] as const;
export type Guise = (typeof GUISES)[number];
const UNKNOWN = ["nobody", "forged", "revoked"] as const;
/** How often each kind of request comes. */
const KINDS = [
  ...(["name", "name", "name", "name", "name", "borrow"] as const),
  ...(["list", "list", "raw", "import"] as const),
] as const;

export interface StrangerOptions {
  readonly journal: ClientJournal;
  /** Whose things they may see. */
  readonly workspace: string;
  readonly urlOf: (node: NodeName) => string;
  readonly random: SeededRandom;
  readonly belongings: Belongings;
  /** What is shown in each guise. */
  readonly keys: Readonly<Record<Guise, string | undefined>>;
  readonly signal: AbortSignal;
}

/** Somebody who reaches for what is not theirs, again and again, whatever state the platform is in, and for what nobody has. */
export class Stranger {
  readonly #options: StrangerOptions;

  constructor(options: StrangerOptions) {
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
      else await this.#list(random.pick(BORROWING), { ...names, fresh: randomUUID() });
      await sleep(EVERY_MS);
    }
  }

  /** Asks for the thing, and in the same words for one that is not there. */
  async #reachFor(attempt: Attempt, names: Record<string, string>): Promise<void> {
    const { random, journal } = this.#options;
    const [guise, node] = [random.pick(GUISES), random.pick(NODES)];
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

  /** Asks for what is refused to them, whatever is there. */
  async #tryForbidden(attempt: Attempt, guise: Guise, names: Record<string, string>): Promise<void> {
    const { random, journal } = this.#options;
    const node = random.pick(NODES);
    const forbidden = await this.#ask(attempt, guise, node, names);
    if (forbidden) journal.note({ attempt: attempt.name, guise, node, forbidden });
  }

  async #list(attempt: Attempt, names: Record<string, string>): Promise<void> {
    const { random, journal } = this.#options;
    const [guise, node] = [random.pick(GUISES), random.pick(NODES)];
    const listed = await this.#ask(attempt, guise, node, names);
    if (listed) journal.note({ attempt: attempt.name, guise, node, listed: anonymous(listed, names) });
  }

  /** The answer; undefined where it was cut. */
  async #ask(
    { method, path, body }: Attempt,
    guise: Guise,
    node: NodeName,
    names: Record<string, string>,
  ): Promise<HttpAnswer | undefined> {
    const { urlOf, signal, keys } = this.#options;
    const filled = (text: string) => text.replace(/\{(\w+)\}/g, (_, name: string) => names[name] ?? "");
    try {
      return await exchange(urlOf(node) + filled(path), {
        ...{
          method,
          rawPath: filled(path),
          patienceMs: PATIENCE_MS,
          signal,
          isFirstPiece: true,
          key: keys[guise],
          headers: { "a2a-version": "1.0" },
        },
        ...(body && { body: JSON.parse(filled(JSON.stringify(body))) }),
      });
    } catch {
      return undefined;
    }
  }
}

/** As long, of the same letters, and nobody's. */
function unlike(id = ""): string {
  const last = randomBytes(6).toString("hex");
  return id.slice(0, -last.length) + last;
}

/** The answer with names in place of what they stand for, so that two can be compared to the byte. */
function anonymous(answer: HttpAnswer, names: Record<string, string>): HttpAnswer {
  const without = (text: string) =>
    Object.entries(names).reduce((left, [name, value]) => left.replaceAll(value, `{${name}}`), text);
  return { ...answer, text: without(answer.text), headers: without(answer.headers) };
}
