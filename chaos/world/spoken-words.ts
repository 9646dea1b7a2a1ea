import { SeededRandom } from "../schedule/seeded-random.ts";

/** Characters of every length in bytes, joined and combined ones too. */
const WORDS = [
  ...([
    "tide",
    "Flut",
    "größer",
    "Ærø",
    "naïve",
    "e\u0301te\u0301",
    "潮汐",
    "港",
    "прилив",
    "🌊",
    "👩‍🚀",
    "🇩🇰",
  ] as const),
] as const;

/** What an agent is asked to say, and so what its answer is, to the byte. */
export interface Request {
  /** Unique. */
  readonly key: string;
  readonly tokens: number;
  /** Whether it is to be entered in the ledger first, by a tool that must not be called twice. */
  readonly entered: boolean;
}

/** The key prefix of an attacker's requests, whose runs wait for others. */
export const ATTACK = "kattack";

/** The request in words, of which none has the supervisor make two requests. */
export function wordsOf({ key, tokens, entered }: Request): string {
  return `speak ${key} ${tokens}${entered ? " entered" : ""}`;
}

/** The request in these words, if there is one: the last. */
export function requestIn(words: string): Request | undefined {
  const found = [...words.matchAll(/speak (k[0-9a-z]+) (\d+)( entered)?/g)].at(-1);
  if (!found) return undefined;
  return { key: found[1] ?? "", tokens: Number(found[2]), entered: found[3] !== undefined };
}

/** The answer, in the pieces in which it is said. */
export function tokensOf({ key, tokens }: Request): string[] {
  const random = new SeededRandom(key);
  return Array.from({ length: tokens }, (_, n) => `${n}${random.pick(WORDS)} `);
}

/** The whole answer. */
export function answerOf(request: Request): string {
  return tokensOf(request).join("");
}

/** The content of the crew's file: any other reader has left their workspace. */
export const LETTER = "kletter for the crew alone";

/** What the librarian is asked to do with a file. */
export interface FileRequest {
  readonly verb: "store" | "fetch";
  readonly path: string;
}

export function fileWordsOf({ verb, path }: FileRequest): string {
  return `${verb} the file ${path}`;
}

/** The file request in these words, if there is one: the last. */
export function fileRequestIn(words: string): FileRequest | undefined {
  const found = [...words.matchAll(/(store|fetch) the file ([\w./-]+)/g)].at(-1);
  return found && { verb: found[1] as FileRequest["verb"], path: found[2] ?? "" };
}
