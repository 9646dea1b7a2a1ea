import type { PackedFiles } from "./packed-files.ts";

/** Fixed ports for servers whose URL is in the data, outside the range of random test ports. */
export const PORTS = { guarded: 18_471, receiver: 18_472 } as const;
/** Seals the keys in the database. */
export const SECRET = "the secret of the golden data";
/** The credential that the external agent requires. */
export const CREDENTIAL = "a-token-that-lies-sealed";
/** The webhooks' token. */
export const PUSH_TOKEN = "a-token-of-the-receiver";
/** The words under which the message of `told` was sent, to be sent again. */
export const REPEATED = { key: "golden-repeated", content: "Tell a story" } as const;

/** A session as the API showed it when the data was made. */
export interface GoldenReading {
  readonly session: Readonly<Record<string, unknown>> & { readonly id: string };
  readonly messages: readonly Readonly<Record<string, unknown>>[];
  readonly events: readonly Readonly<Record<string, unknown>>[];
}

/** What the data holds. */
export interface GoldenScene {
  readonly keys: Readonly<Record<"operator" | "owner" | "editor" | "viewer" | "revoked", string>>;
  /** Idle sessions, which must read the same as before. `cold` is archived. */
  readonly still: Readonly<Record<string, GoldenReading>>;
  /** Sessions whose run was active when the node was killed, by agent. */
  readonly running: Readonly<Record<"teller" | "supervisor" | "guarded", GoldenReading>>;
  /** Sessions with a pending approval, by the asking agent. */
  readonly asking: Readonly<Record<"clerk" | "supervisor", GoldenReading>>;
  /** A2A tasks of the supervisor with undelivered webhooks. */
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
