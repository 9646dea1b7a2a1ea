import type { SyncState } from "@parley/client";
import { type Line, type Span, span } from "../../terminal/line.ts";
import type { Picture } from "../../terminal/painter.ts";
import { characterWidth, textWidth } from "../../terminal/text-width.ts";
import { isPermission } from "../view/approval-lines.ts";
import { CONNECTION_LOST } from "../view/connection-notice.ts";
import type { Chat } from "./chat.ts";
import type { Editor } from "./line-editor.ts";

/** What the user is editing. */
export interface Writing {
  readonly editor: Editor;
  /** Whether it is the arguments of a call, not a message. */
  readonly isArguments: boolean;
  /** Why the text is invalid. */
  readonly problem?: string | undefined;
}

/** The notice of a lost connection; undefined while it is live. */
export function connectionLine({ connection, queue }: SyncState, wasLive: boolean): Line | undefined {
  if (connection === "live" || !wasLive) return undefined;
  const waiting = queue.filter(({ command }) => command.type === "send").length;
  const held = waiting > 0 ? " Your messages will be sent then." : "";
  return [span("↻ ", "notice"), span(`${CONNECTION_LOST}${held}`, "quiet")];
}

/** The screen: new lines, what is in progress, open questions, and the prompt. */
export function chatPicture(
  chat: Chat,
  options: {
    readonly writing: Writing | undefined;
    readonly wasLive: boolean;
    readonly now: number;
    readonly width: number;
  },
): Picture {
  const { writing, wasLive, now, width } = options;
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

function hintOf({ question }: Chat, writing: Writing | undefined): Line | undefined {
  if (writing?.isArguments)
    return [span("Enter: approve with these arguments · Esc: discard changes", "quiet")];
  if (!question) return undefined;
  return isPermission(question)
    ? [span("y approve · n deny · a always allow in this conversation · e edit arguments", "notice")]
    : [span("Type your answer", "notice")];
}

/** The edited text in rows of a terminal, and the position of the cursor in them. */
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
