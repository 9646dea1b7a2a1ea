import type { Line } from "../../terminal/line.ts";

/** A piece of what is shown of a session, known by its key for as long as the session is shown. */
export type Block =
  /** Something that changes until it is settled. */
  | {
      readonly kind: "lines";
      readonly key: string;
      readonly isSettled: boolean;
      readonly lines: (width: number) => readonly Line[];
    }
  /** Words of an agent, as Markdown, which grow at their end until they are done. */
  | { readonly kind: "text"; readonly key: string; readonly text: string; readonly isDone: boolean };
