import type { SyncState } from "@parley/client";
import { type Line, type Span, span } from "../../terminal/line.ts";
import type { Picture } from "../../terminal/painter.ts";
import { characterWidth, textWidth } from "../../terminal/text-width.ts";
import { isPermission } from "../view/approval-lines.ts";
import type { Chat } from "./chat.ts";
import type { Editor } from "./line-editor.ts";

/** What the user writes, and for what. */
export interface Writing {
  readonly editor: Editor;
  /** The arguments of a call are written, not a message. */
  readonly isArguments: boolean;
  /** What is wrong with what was written. */
  readonly problem?: string | undefined;
}

/** How a connection that does not stand is told of; undefined: it stands. */
export function connectionLine({ connection, queue }: SyncState, wasLive: boolean): Line | undefined {
  if (connection === "live" || !wasLive) return undefined;
  const waiting = queue.filter(({ command }) => command.type === "send").length;
  const held = waiting > 0 ? " What you said is sent when it is back." : "";
  return [
    span("↻ ", "notice"),
    span(`The connection is lost: reconnecting; nothing is lost.${held}`, "quiet"),
  ];
}

/** The end of the screen: what is going on, what is asked, and where the user writes. */
export function chatPicture(
  chat: Chat,
  {
    writing,
    wasLive,
    now,
    width,
  }: {
    readonly writing: Writing | undefined;
    readonly wasLive: boolean;
    readonly now: number;
    readonly width: number;
  },
): Picture {
  const { settled, live } = chat.advance(width, now);
  const connection = connectionLine(chat.engine.state, wasLive);
  const hint = hintOf(chat, writing);
  const lines = [...live, ...(connection ? [connection] : []), ...(hint ? [hint] : [])];
  if (!writing) return { settled, live: lines };
  const prompt = span(writing.isArguments ? "arguments › " : "› ", "notice");
  const written = editorLines(writing.editor, width, prompt);
  const problem: Line[] = writing.problem === undefined ? [] : [[span(writing.problem, "bad")]];
  const above = [...lines, ...problem];
  return {
    settled,
    live: [...above, ...written.lines],
    cursor: { row: above.length + written.cursor.row, column: written.cursor.column },
  };
}

function hintOf({ asked }: Chat, writing: Writing | undefined): Line | undefined {
  if (writing?.isArguments)
    return [span("Enter approves with these arguments · Esc leaves them as they are", "quiet")];
  if (!asked) return undefined;
  return isPermission(asked)
    ? [span("y yes · n no · a always in this session · e edit the arguments", "notice")]
    : [span("Write your answer", "notice")];
}

/** What is written in rows of a terminal, and where in them the cursor is. */
export function editorLines(
  { text, cursor }: Editor,
  width: number,
  prompt: Span,
): { readonly lines: readonly Line[]; readonly cursor: { readonly row: number; readonly column: number } } {
  const margin = textWidth(prompt.text);
  const rows: string[] = [""];
  let column = margin;
  let place = { row: 0, column: margin };
  let at = 0;
  for (const character of text) {
    const isEnd = character === "\n";
    const wide = isEnd ? 0 : characterWidth(character);
    if (!isEnd && column + wide > width) {
      rows.push("");
      column = margin;
    }
    if (at === cursor) place = { row: rows.length - 1, column };
    at += character.length;
    if (isEnd) {
      rows.push("");
      column = margin;
    } else {
      rows[rows.length - 1] += character;
      column += wide;
    }
  }
  if (at === cursor) place = { row: rows.length - 1, column };
  const rest = span(" ".repeat(margin));
  return { lines: rows.map((row, index) => [index === 0 ? prompt : rest, span(row)]), cursor: place };
}
