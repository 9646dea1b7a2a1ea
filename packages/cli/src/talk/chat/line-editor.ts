import { plainText } from "../../terminal/plain-text.ts";

/** The text that the user is editing. */
export interface Editor {
  readonly text: string;
  /** The index of the next character. */
  readonly cursor: number;
  /** Sent messages, oldest first. */
  readonly history: readonly string[];
  /** The index of the shown message in the history; its length for the user's own text. */
  readonly place: number;
  /** The user's own text while the history is shown. */
  readonly draft: string;
  readonly isPasting: boolean;
}

/** A key press as Node reports it. */
export interface Key {
  readonly name?: string | undefined;
  readonly sequence?: string | undefined;
  readonly ctrl?: boolean | undefined;
  readonly meta?: boolean | undefined;
}

const MAX_HISTORY = 500;
const graphemes = new Intl.Segmenter();

/** An editor with an initial text. */
export function newEditor(history: readonly string[] = [], text = ""): Editor {
  return { text, cursor: text.length, history, place: history.length, draft: "", isPasting: false };
}

/** An empty editor whose history includes the sent text. */
export function sentEditor({ history, text }: Editor): Editor {
  const isNew = text.trim() !== "" && history.at(-1) !== text;
  return newEditor(isNew ? [...history, text].slice(-MAX_HISTORY) : history);
}

/** Whether this key sends the text; after a backslash, with Alt and in a paste it is a line break. */
export function isSending({ isPasting, text, cursor }: Editor, { name, meta }: Key): boolean {
  return name === "return" && !isPasting && !meta && text.slice(0, cursor).at(-1) !== "\\";
}

/** Applies a key press. */
export function edited(editor: Editor, key: Key): Editor {
  const { text, cursor, isPasting } = editor;
  const { name, ctrl, meta, sequence = "" } = key;
  if (name === "paste-start") return { ...editor, isPasting: true };
  if (name === "paste-end") return { ...editor, isPasting: false };
  if (name === "return" || name === "enter") {
    const isContinued = name === "return" && !isPasting && !meta;
    return isContinued ? replaced(editor, cursor - 1, cursor, "\n") : replaced(editor, cursor, cursor, "\n");
  }
  if (isPasting) return replaced(editor, cursor, cursor, plainText(sequence));
  if (ctrl) return controlled(editor, name);
  switch (name) {
    case "backspace":
      return replaced(editor, stepBack(text, cursor), cursor, "");
    case "delete":
      return replaced(editor, cursor, stepForward(text, cursor), "");
    case "left":
      return { ...editor, cursor: stepBack(text, cursor) };
    case "right":
      return { ...editor, cursor: stepForward(text, cursor) };
    case "home":
      return { ...editor, cursor: lineStart(text, cursor) };
    case "end":
      return { ...editor, cursor: lineEnd(text, cursor) };
    case "up":
      return lineStart(text, cursor) === 0 ? remembered(editor, editor.place - 1) : movedLine(editor, -1);
    case "down":
      return lineEnd(text, cursor) === text.length
        ? remembered(editor, editor.place + 1)
        : movedLine(editor, 1);
    default:
      // Keys without text are sequences that start with ESC.
      return meta || sequence.startsWith("\u001b")
        ? editor
        : replaced(editor, cursor, cursor, plainText(sequence));
  }
}

function controlled(editor: Editor, name: string | undefined): Editor {
  const { text, cursor } = editor;
  switch (name) {
    case "a":
      return { ...editor, cursor: lineStart(text, cursor) };
    case "e":
      return { ...editor, cursor: lineEnd(text, cursor) };
    case "b":
      return { ...editor, cursor: stepBack(text, cursor) };
    case "f":
      return { ...editor, cursor: stepForward(text, cursor) };
    case "u":
      return replaced(editor, lineStart(text, cursor), cursor, "");
    case "k":
      return replaced(editor, cursor, lineEnd(text, cursor), "");
    case "w":
      return replaced(editor, wordStart(text.slice(0, cursor).trimEnd()), cursor, "");
    case "p":
      return remembered(editor, editor.place - 1);
    case "n":
      return remembered(editor, editor.place + 1);
    default:
      return editor;
  }
}

function replaced(editor: Editor, from: number, to: number, by: string): Editor {
  const text = editor.text.slice(0, from) + by + editor.text.slice(to);
  return { ...editor, text, cursor: from + by.length };
}

function remembered(editor: Editor, place: number): Editor {
  const { history, text } = editor;
  if (place < 0 || place > history.length) return editor;
  const draft = editor.place === history.length ? text : editor.draft;
  const shown = place === history.length ? draft : (history[place] ?? "");
  return { ...editor, place, draft, text: shown, cursor: shown.length };
}

function movedLine(editor: Editor, by: -1 | 1): Editor {
  const { text, cursor } = editor;
  const column = cursor - lineStart(text, cursor);
  const into = by < 0 ? lineStart(text, cursor) - 1 : lineEnd(text, cursor) + 1;
  const start = lineStart(text, into);
  return { ...editor, cursor: Math.min(start + column, lineEnd(text, into)) };
}

function lineStart(text: string, cursor: number): number {
  return cursor === 0 ? 0 : text.lastIndexOf("\n", cursor - 1) + 1;
}

function lineEnd(text: string, cursor: number): number {
  const end = text.indexOf("\n", cursor);
  return end < 0 ? text.length : end;
}

function stepBack(text: string, cursor: number): number {
  const start = lineStart(text, cursor);
  if (start === cursor) return Math.max(0, cursor - 1);
  const last = [...graphemes.segment(text.slice(start, cursor))].at(-1);
  return cursor - (last?.segment.length ?? 0);
}

function stepForward(text: string, cursor: number): number {
  const [next] = graphemes.segment(text.slice(cursor, cursor + 64));
  return cursor + (next?.segment.length ?? 0);
}

function wordStart(text: string): number {
  return Math.max(0, text.search(/(?<!\S)\S+$/));
}
