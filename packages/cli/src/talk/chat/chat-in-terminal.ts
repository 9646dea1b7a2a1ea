import { emitKeypressEvents } from "node:readline";
import { describeError, EXIT, type ExitCode } from "../../command-error.ts";

import { span } from "../../terminal/line.ts";
import { LivePainter } from "../../terminal/painter.ts";
import { visibleJson } from "../../terminal/plain-text.ts";
import { scheduled } from "../scheduled.ts";
import { greeting, type TalkOptions } from "../talk-options.ts";
import { isPermission } from "../view/approval-lines.ts";
import { Chat } from "./chat.ts";
import { chatPicture, type Writing } from "./chat-picture.ts";
import { readArguments } from "./edited-arguments.ts";
import { edited, isSending, type Key, newEditor, sentEditor } from "./line-editor.ts";
import { isSlashCommand, runSlashCommand } from "./slash-commands.ts";
import { startedEngine } from "./started-engine.ts";

/** What the user does with the keys: writes, answers, stops, leaves. */
class ChatKeys {
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

const [PASTE_TOLD, PASTE_NOT_TOLD] = ["\u001b[?2004h", "\u001b[?2004l"];

/** A chat on a terminal, until the user leaves; with a message, until that is answered. */
export async function chatInTerminal(options: TalkOptions): Promise<ExitCode> {
  const { client, server, message } = options;
  const { stdin, stdout } = process;
  const engine = await startedEngine(client, server);
  if (options.sessionId !== undefined) await engine.open(options.sessionId);
  const chat = new Chat({ ...options, engine });
  const painter = new LivePainter(stdout);
  const left = Promise.withResolvers<ExitCode>();
  const keys = new ChatKeys(chat, left.resolve);
  let wasLive = false;
  const paint = () => {
    const { connection } = engine.state;
    wasLive ||= connection === "live";
    const { asked } = chat;
    // Who only asked one thing writes only where there is something to answer.
    const isWriting = message === undefined || keys.writing.isArguments || (asked && !isPermission(asked));
    const writing = isWriting ? keys.writing : undefined;
    painter.paint(chatPicture(chat, { writing, wasLive, now: Date.now(), width: painter.width }));
  };
  const frame = scheduled(() => {
    paint();
    if (message !== undefined && hasEnded(chat)) left.resolve(exitCodeOf(chat));
  });
  const onKey = (_: string | undefined, key: Key) =>
    void keys
      .press(key)
      .catch((error) => chat.note([span(`✗ ${describeError(error).message}`, "bad")]))
      .then(() => frame.soon());
  const tick = setInterval(() => (chat.isBusy || engine.state.connection !== "live") && frame.soon(), 1_000);
  const unsubscribe = engine.subscribe(() => frame.soon());
  const onEnd = () => left.resolve(EXIT.interrupted);
  emitKeypressEvents(stdin);
  stdin.setRawMode(true);
  stdin.on("keypress", onKey);
  stdin.on("end", onEnd);
  stdout.on("resize", paint);
  for (const signal of ["SIGTERM", "SIGHUP", "SIGINT"] as const) process.on(signal, onEnd);
  stdout.write(PASTE_TOLD);
  if (message === undefined) chat.note([span(greeting(options), "quiet")], []);
  else chat.say(message);
  paint();
  try {
    return await left.promise;
  } finally {
    clearInterval(tick);
    frame.stop();
    unsubscribe();
    // What is under way stays to be read, as it was.
    const { settled, live } = chat.advance(painter.width, Date.now());
    painter.paint({ settled: [...settled, ...live], live: [] });
    painter.end();
    stdout.write(PASTE_NOT_TOLD);
    stdin.off("keypress", onKey);
    stdin.off("end", onEnd);
    stdin.setRawMode(false);
    stdin.pause();
    stdout.off("resize", paint);
    for (const signal of ["SIGTERM", "SIGHUP", "SIGINT"] as const) process.off(signal, onEnd);
    if (chat.sessionId !== undefined)
      stdout.write(`Session ${chat.sessionId}  ${server}/s/${chat.sessionId}\n`);
    await engine.stop();
  }
}

function hasEnded(chat: Chat): boolean {
  return !chat.isBusy && (chat.lastRun !== undefined || chat.wasRefused);
}

function exitCodeOf({ lastRun, wasRefused }: Chat): ExitCode {
  return lastRun?.status === "completed" && !wasRefused ? EXIT.done : EXIT.failed;
}
