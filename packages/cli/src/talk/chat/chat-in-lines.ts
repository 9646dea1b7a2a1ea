import { createInterface } from "node:readline";
import { describeError, EXIT, type ExitCode } from "../../command-error.ts";

import { span } from "../../terminal/line.ts";
import { AppendingPainter } from "../../terminal/painter.ts";
import { coalesced } from "../scheduled.ts";
import { greeting, type TalkOptions } from "../talk-options.ts";
import { Chat, startEngine } from "./chat.ts";
import { connectionLine } from "./chat-picture.ts";
import { isSlashCommand, runSlashCommand } from "./slash-commands.ts";

/** A chat on a terminal that can only append lines (TERM=dumb), until the user leaves. */
export async function chatInLines(options: TalkOptions): Promise<ExitCode> {
  const { client, server, sessionId } = options;
  const { stdin, stdout } = process;
  const engine = await startEngine(client, server);
  if (sessionId !== undefined) await engine.open(sessionId);
  const chat = new Chat({ ...options, engine });
  const painter = new AppendingPainter(stdout);
  const left = Promise.withResolvers<ExitCode>();
  let isLive = false;
  const frame = coalesced(() => {
    const wasLive = isLive;
    isLive = engine.state.connection === "live";
    const lost = connectionLine(engine.state, wasLive);
    if (lost) chat.note(lost);
    chat.noteQuestion(painter.width);
    painter.paint(chat.advance(painter.width, Date.now()));
  });
  const lines = createInterface({ input: stdin, terminal: false });
  lines.on("line", async (text) => {
    try {
      if (isSlashCommand(text) && (await runSlashCommand(chat, text))) left.resolve(EXIT.done);
      else if (text.trim() !== "" && !isSlashCommand(text)) chat.send(text);
    } catch (error) {
      chat.note([span(describeError(error).message, "bad")]);
    }
    frame.soon();
  });
  lines.on("close", () => left.resolve(EXIT.done));
  const onInterrupt = () => void (chat.stop() || left.resolve(chat.isBusy ? EXIT.interrupted : EXIT.done));
  process.on("SIGINT", onInterrupt);
  const unsubscribe = engine.subscribe(() => frame.soon());
  stdout.write(`${greeting(options)}\n`);
  try {
    return await left.promise;
  } finally {
    unsubscribe();
    frame.stop();
    lines.close();
    process.off("SIGINT", onInterrupt);
    if (chat.sessionId !== undefined)
      stdout.write(`Session ${chat.sessionId}  ${server}/s/${chat.sessionId}\n`);
    await engine.stop();
  }
}
