import { emitKeypressEvents } from "node:readline";
import { EXIT, type ExitCode } from "../../command-error.ts";
import { explained } from "../../explained.ts";
import { span } from "../../terminal/line.ts";
import { LivePainter } from "../../terminal/painter.ts";
import { scheduled } from "../scheduled.ts";
import { greeting, type TalkOptions } from "../talk-options.ts";
import { isPermission } from "../view/approval-lines.ts";
import { Chat } from "./chat.ts";
import { ChatKeys } from "./chat-keys.ts";
import { chatPicture } from "./chat-picture.ts";
import type { Key } from "./line-editor.ts";
import { startedEngine } from "./started-engine.ts";

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
      .catch((error) => chat.note([span(`✗ ${explained(error).message}`, "bad")]))
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

/** Whether what was asked is answered, or was not taken. */
function hasEnded(chat: Chat): boolean {
  return !chat.isBusy && (chat.lastRun !== undefined || chat.wasRefused);
}

function exitCodeOf({ lastRun, wasRefused }: Chat): ExitCode {
  return lastRun?.status === "completed" && !wasRefused ? EXIT.done : EXIT.failed;
}
