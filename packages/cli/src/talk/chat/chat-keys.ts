import { EXIT, type ExitCode } from "../../command-error.ts";
import { visibleJson } from "../../terminal/visible-json.ts";
import { isPermission } from "../view/approval-lines.ts";
import type { Chat } from "./chat.ts";
import type { Writing } from "./chat-picture.ts";
import { readArguments } from "./edited-arguments.ts";
import { edited, isSending, type Key, newEditor, sentEditor } from "./line-editor.ts";
import { isSlashCommand, runSlashCommand } from "./slash-commands.ts";

/** What the user does with the keys: writes, answers, stops, leaves. */
export class ChatKeys {
  readonly #chat: Chat;
  readonly #leave: (code: ExitCode) => void;
  #message = newEditor();
  /** What is written in place of a message, while it is: a call's arguments. */
  #arguments: { readonly approvalId: string; readonly writing: Writing } | undefined;

  constructor(chat: Chat, leave: (code: ExitCode) => void) {
    this.#chat = chat;
    this.#leave = leave;
  }

  get writing(): Writing {
    const { asked } = this.#chat;
    if (this.#arguments && this.#arguments.approvalId === asked?.id) return this.#arguments.writing;
    return { editor: this.#message, isArguments: false };
  }

  async press(key: Key): Promise<void> {
    const { writing } = this;
    if (key.ctrl && key.name === "c") return this.#interrupt(writing);
    if (writing.isArguments) return this.#pressInArguments(key, writing);
    if (key.ctrl && key.name === "d" && writing.editor.text === "") return this.#leave(EXIT.done);
    if (writing.editor.text === "" && !writing.editor.isPasting && this.#isAnswer(key)) return;
    if (!isSending(this.#message, key)) {
      this.#message = edited(this.#message, key);
      return;
    }
    const text = this.#message.text.trim();
    this.#message = sentEditor(this.#message);
    if (text === "") return;
    if (!isSlashCommand(text)) this.#chat.say(text);
    else if (await runSlashCommand(this.#chat, text)) this.#leave(EXIT.done);
  }

  #interrupt({ isArguments, editor }: Writing): void {
    if (isArguments) this.#arguments = undefined;
    else if (this.#chat.run) {
      if (!this.#chat.stop()) this.#leave(EXIT.interrupted);
    } else if (editor.text !== "") this.#message = newEditor(editor.history);
    else this.#leave(this.#chat.isBusy ? EXIT.interrupted : EXIT.done);
  }

  #isAnswer({ name, ctrl, meta }: Key): boolean {
    const { asked } = this.#chat;
    if (!asked || !isPermission(asked) || ctrl || meta) return false;
    if (name === "y") this.#chat.answer(asked, { decision: "approved" });
    else if (name === "n") this.#chat.answer(asked, { decision: "denied" });
    else if (name === "a") this.#chat.allowAlways(asked);
    else if (name === "e") {
      const editor = newEditor([], visibleJson(asked.arguments ?? {}, 2));
      this.#arguments = { approvalId: asked.id, writing: { editor, isArguments: true } };
    } else return false;
    return true;
  }

  #pressInArguments(key: Key, { editor }: Writing): void {
    const { asked } = this.#chat;
    if (!asked || key.name === "escape") {
      this.#arguments = undefined;
      return;
    }
    const write = (writing: Omit<Writing, "isArguments">) => {
      this.#arguments = { approvalId: asked.id, writing: { ...writing, isArguments: true } };
    };
    if (!isSending(editor, key)) {
      write({ editor: edited(editor, key) });
      return;
    }
    const read = readArguments(editor.text);
    if (!read.isRight) {
      write({ editor, problem: read.problem });
      return;
    }
    this.#arguments = undefined;
    this.#chat.answer(asked, { decision: "approved", arguments: read.value });
  }
}
