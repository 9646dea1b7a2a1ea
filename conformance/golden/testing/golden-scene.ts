import type { PackedFiles } from "./packed-files.ts";

/** Whoever is named by address in the data has a port of its own for ever, outside of those that tests get at random. */
export const PORTS = { guarded: 18_471, receiver: 18_472 } as const;
/** Seals the keys in the database. */
export const SECRET = "the secret of the golden data";
/** What the agent elsewhere wants to see. */
export const CREDENTIAL = "a-token-that-lies-sealed";
/** What webhooks come with. */
export const PUSH_TOKEN = "a-token-of-the-receiver";
/** The words under which the message of `told` was sent, to be sent again. */
export const REPEATED = { key: "golden-repeated", content: "Tell a story" } as const;

/** A session as the API showed it to whoever made the data. */
export interface GoldenReading {
  readonly session: Readonly<Record<string, unknown>> & { readonly id: string };
  readonly messages: readonly Readonly<Record<string, unknown>>[];
  readonly events: readonly Readonly<Record<string, unknown>>[];
}

/** What the data holds. */
export interface GoldenScene {
  readonly keys: Readonly<Record<"operator" | "owner" | "editor" | "viewer" | "revoked", string>>;
  /** Sessions in which nothing is under way: they read as they did. `cold` is in the archive. */
  readonly still: Readonly<Record<string, GoldenReading>>;
  /** Sessions whose run was under way when the node was killed, by who is at work. */
  readonly running: Readonly<Record<"teller" | "supervisor" | "guarded", GoldenReading>>;
  /** Sessions in which a person is asked, by who asks. */
  readonly asking: Readonly<Record<"clerk" | "supervisor", GoldenReading>>;
  /** A2A tasks of the supervisor, with webhooks that nobody has taken. */
  readonly tasks: Readonly<Record<"ended" | "running", string>>;
  readonly file: { readonly id: string; readonly text: string };
  readonly shareToken: string;
}

/** A data folder, or a dump in SQL, with what is in it. */
export interface GoldenData {
  readonly scene: GoldenScene;
  readonly files?: PackedFiles;
  readonly sql?: string;
}
