import type { Line } from "../../terminal/line.ts";

/** A part of a session on the screen, identified by its key. */
export type Block =
  /** Lines that may change until they are settled. */
  | {
      readonly kind: "lines";
      readonly key: string;
      readonly isSettled: boolean;
      readonly lines: (width: number) => readonly Line[];
    }
  /** An agent's Markdown text, which grows at its end until it is done. */
  | { readonly kind: "text"; readonly key: string; readonly text: string; readonly isDone: boolean };
