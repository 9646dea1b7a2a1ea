import { emitKeypressEvents } from "node:readline";
import { describeError, EXIT, type ExitCode } from "../../command-error.ts";

import { span } from "../../terminal/line.ts";
import { LivePainter } from "../../terminal/painter.ts";
import { visibleJson } from "../../terminal/plain-text.ts";
import { coalesced } from "../scheduled.ts";
import { greeting, type TalkOptions } from "../talk-options.ts";
import { isPermission } from "../view/approval-lines.ts";
import { Chat, readArguments, startEngine } from "./chat.ts";
import { chatPicture, type Writing } from "./chat-picture.ts";
import { edited, isSending, type Key, newEditor, sentEditor } from "./line-editor.ts";
import { isSlashCommand, runSlashCommand } from "./slash-commands.ts";

/** Turns key presses into editing, answers, interruptions and exit. */
class ChatKeys {
  readonly #chat: Chat;
  readonly #leave: (code: ExitCode) => void;
  #message = newEditor();
  /** A call's arguments, while they are edited in place of a message. */
  #arguments: { readonly approvalId: string; readonly writing: Writing } | undefined;

  constructor(chat: Chat, leave: (code: ExitCode) => void) {
    this.#chat = chat;
    this.#leave = leave;
  }

  get writing(): Writing {
    const { question } = this.#chat;
    if (this.#arguments && this.#arguments.approvalId === question?.id) return this.#arguments.writing;
    return { editor: this.#message, isArguments: false };
  }

  async press(key: Key): Promise<void> {
    const { writing } = this;
    if (key.ctrl && key.name === "c") return this.#interrupt(writing);
    if (writing.isArguments) return this.#pressInArguments(key, writing);
    if (key.ctrl && key.name === "d" && writing.editor.text === "") return this.#leave(EXIT.done);
    if (writing.editor.text === "" && !writing.editor.isPasting && this.#answerBy(key)) return;
    if (!isSending(this.#message, key)) {
      this.#message = edited(this.#message, key);
      return;
    }
    const text = this.#message.text.trim();
    this.#message = sentEditor(this.#message);
    if (text === "") return;
    if (!isSlashCommand(text)) this.#chat.send(text);
    else if (await runSlashCommand(this.#chat, text)) this.#leave(EXIT.done);
  }

  #interrupt({ isArguments, editor }: Writing): void {
    if (isArguments) this.#arguments = undefined;
    else if (this.#chat.run) {
      if (!this.#chat.stop()) this.#leave(EXIT.interrupted);
    } else if (editor.text !== "") this.#message = newEditor(editor.history);
    else this.#leave(this.#chat.isBusy ? EXIT.interrupted : EXIT.done);
  }

  #answerBy({ name, ctrl, meta }: Key): boolean {
    const { question } = this.#chat;
    if (!question || !isPermission(question) || ctrl || meta) return false;
    if (name === "y") this.#chat.answer(question, { decision: "approved" });
    else if (name === "n") this.#chat.answer(question, { decision: "denied" });
    else if (name === "a") this.#chat.allowAlways(question);
    else if (name === "e") {
      const editor = newEditor([], visibleJson(question.arguments ?? {}, 2));
      this.#arguments = { approvalId: question.id, writing: { editor, isArguments: true } };
    } else return false;
    return true;
  }

  #pressInArguments(key: Key, { editor }: Writing): void {
    const { question } = this.#chat;
    if (!question || key.name === "escape") {
      this.#arguments = undefined;
      return;
    }
    const write = (writing: Omit<Writing, "isArguments">) => {
      this.#arguments = { approvalId: question.id, writing: { ...writing, isArguments: true } };
    };
    if (!isSending(editor, key)) {
      write({ editor: edited(editor, key) });
      return;
    }
    const read = readArguments(editor.text);
    if (typeof read === "string") {
      write({ editor, problem: read });
      return;
    }
    this.#arguments = undefined;
    this.#chat.answer(question, { decision: "approved", arguments: read });
  }
}

const [PASTE_ON, PASTE_OFF] = ["\u001b[?2004h", "\u001b[?2004l"];

/** A chat on a terminal, until the user leaves or, with a message, until it is answered. */
export async function chatInTerminal(options: TalkOptions): Promise<ExitCode> {
  const { client, server, message } = options;
  const { stdin, stdout } = process;
  const engine = await startEngine(client, server);
  if (options.sessionId !== undefined) await engine.open(options.sessionId);
  const chat = new Chat({ ...options, engine });
  const painter = new LivePainter(stdout);
  const left = Promise.withResolvers<ExitCode>();
  const keys = new ChatKeys(chat, left.resolve);
  let wasLive = false;
  const paint = () => {
    const { connection } = engine.state;
    wasLive ||= connection === "live";
    const { question } = chat;
    // A single question has no prompt, except to answer what the agent asks.
    const isWriting =
      message === undefined || keys.writing.isArguments || (question && !isPermission(question));
    const writing = isWriting ? keys.writing : undefined;
    painter.paint(chatPicture(chat, { writing, wasLive, now: Date.now(), width: painter.width }));
  };
  const frame = coalesced(() => {
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
  stdout.write(PASTE_ON);
  if (message === undefined) chat.note([span(greeting(options), "quiet")], []);
  else chat.send(message);
  paint();
  try {
    return await left.promise;
  } finally {
    clearInterval(tick);
    frame.stop();
    unsubscribe();
    // The last state stays readable.
    const { settled, live } = chat.advance(painter.width, Date.now());
    painter.paint({ settled: [...settled, ...live], live: [] });
    painter.end();
    stdout.write(PASTE_OFF);
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
