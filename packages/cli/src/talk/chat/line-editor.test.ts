import { expect, it } from "vitest";
import { lineText, span } from "../../terminal/line.ts";
import { editorLines } from "./chat-picture.ts";
import { type Editor, edited, isSending, type Key, newEditor, sentEditor } from "./line-editor.ts";

const key = (name: string, more: Partial<Key> = {}): Key => ({ name, sequence: "", ...more });
const typed = (text: string): Key[] => [...text].map((sequence) => ({ name: sequence, sequence }));
const press = (editor: Editor, ...keys: readonly Key[]) => keys.reduce(edited, editor);
const RETURN = key("return", { sequence: "\r" });

it("the line editor inserts typed text at the cursor", () => {
  const editor = press(newEditor(), ...typed("hllo"), key("home"), key("right"), ...typed("e"));
  expect([editor.text, editor.cursor]).toEqual(["hello", 2]);
  expect(press(editor, key("end"), key("backspace"), key("left"), key("delete")).text).toBe("hel");
});

it("the line editor deletes whole grapheme clusters", () => {
  expect(press(newEditor([], "a👩‍💻"), key("backspace")).text).toBe("a");
});

it("the line editor supports the usual shell keys", () => {
  const ctrl = (name: string) => key(name, { ctrl: true });
  const editor = newEditor([], "one two three");
  expect(press(editor, ctrl("w")).text).toBe("one two ");
  expect(press(editor, ctrl("u")).text).toBe("");
  expect(press(editor, ctrl("a"), ctrl("f"), ctrl("k")).text).toBe("o");
});

it("the line editor submits on Enter, unless a backslash, Alt or a paste makes it a new line", () => {
  expect(isSending(newEditor([], "hello"), RETURN)).toBe(true);
  const continued = newEditor([], "hello\\");
  expect(isSending(continued, RETURN)).toBe(false);
  expect(press(continued, RETURN, ...typed("you")).text).toBe("hello\nyou");
  expect(press(newEditor([], "a"), { ...RETURN, meta: true }).text).toBe("a\n");
  const pasting = press(newEditor(), key("paste-start"), ...typed("a"));
  expect(isSending(pasting, RETURN)).toBe(false);
  expect(press(pasting, RETURN, ...typed("b"), key("paste-end")).text).toBe("a\nb");
});

it("the line editor inserts nothing for other keys, and no control characters", () => {
  expect(
    press(newEditor(), key("f5", { sequence: "\u001b[15~" }), key("x", { meta: true, sequence: "\u001bx" }))
      .text,
  ).toBe("");
  expect(press(newEditor(), key("paste-start"), { sequence: "\u009b" }, ...typed("a\u0007")).text).toBe("a");
});

it("the line editor recalls sent lines, and then the current draft", () => {
  const sent = sentEditor({ ...newEditor(["first"]), text: "second" });
  expect(sent).toMatchObject({ text: "", history: ["first", "second"] });
  const writing = press(sent, ...typed("draft"));
  const back = press(writing, key("up"), key("up"), key("up"));
  expect(back.text).toBe("first");
  expect(press(back, key("down"), key("down")).text).toBe("draft");
  expect(sentEditor({ ...sent, text: "second" }).history).toHaveLength(2);
});

it("the line editor moves up and down within several lines first", () => {
  const editor = press(newEditor(["before"], "one\ntwo"), key("up"));
  expect([editor.text, editor.cursor]).toEqual(["one\ntwo", 3]);
  expect(press(editor, key("down")).cursor).toBe(7);
  expect(press(editor, key("up")).text).toBe("before");
});

it("the line editor renders rows that fit, with the cursor in place", () => {
  const { lines, cursor } = editorLines(newEditor([], "abcdefgh\n你好"), 8, span("› "));
  expect(lines.map(lineText)).toEqual(["› abcdef", "  gh", "  你好"]);
  expect(cursor).toEqual({ row: 2, column: 6 });
  expect(editorLines({ ...newEditor([], "abcdefgh"), cursor: 6 }, 8, span("› ")).cursor).toEqual({
    row: 1,
    column: 2,
  });
});
