import { Command } from "commander";
import { CommandError, EXIT } from "../command-error.ts";
import { connect, type ServerOptions, serverOption, serverUrl } from "../server-address.ts";
import type { ChatCommandOptions } from "./chat-command.ts";

/** `parley chat`, `parley replay` and `parley tail`: sessions as people read them. */
export function talkCommands(): readonly Command[] {
  return [chat(), replay(), tail()];
}

function chat(): Command {
  return new Command("chat")
    .summary("talk to the supervisor, or ask it one thing")
    .description(
      "Talks to the supervisor, or to one agent. On a terminal it is a conversation; with a question, or with text on standard input, one question and its answer: the answer on standard output, all else on standard error.",
    )
    .argument("[question...]", "what to ask; text on standard input is added below it")
    .addOption(serverOption())
    .option("--session <id>", "go on with this session")
    .option("--agent <name>", "speak to this agent, not to the supervisor")
    .option("--json", "the events as JSON lines, the last line a summary")
    .option("--verbose", "plan and tool calls on standard error, also where that is no terminal")
    .option("--yes", "approve whatever asks for approval")
    .option("--no", "deny whatever asks for approval")
    .option("--files <folder>", "store the files that the answer comes with in this folder")
    .option("--timeout <seconds>", "do not wait longer; the run goes on")
    .addHelpText(
      "after",
      `
Examples:
  parley chat                                    a conversation; /help there says what else there is
  parley chat "show argocd version"              one answer
  cat app.log | parley chat "what is wrong?"     the file is added below the question
  parley chat --session ses_… "and yesterday?"   goes on with a session
  parley chat --files . "draw a chart of 3, 5, 8"
  parley chat --json "what is 6 times 7?" | tail -1

Into a pipe or a file the answer is written line by line, as it comes. What is written cannot be taken back: where an agent
begins its answer again, the answer is written whole at the end, below a line that says so.
It ends with 0 when the run was completed, and with 1 when it failed or waits for an approval.`,
    )
    .action(async (words: readonly string[], options: ChatCommandOptions) => {
      const { chatCommand } = await import("./chat-command.ts");
      process.exitCode = await chatCommand(words, options);
    });
}

interface ReplayCommandOptions extends ServerOptions {
  readonly speed: string;
  readonly until?: string;
  readonly json?: true;
}

function replay(): Command {
  return new Command("replay")
    .summary("show a session as it happened")
    .description(
      "Shows a session as it happened, from its events and with their timing; long pauses are cut to two seconds.",
    )
    .argument("<session>", "its id")
    .addOption(serverOption())
    .option("--speed <times>", "how many times as fast, or max", "1")
    .option("--until <index>", "up to the event with this index")
    .option("--json", "the events as JSON lines")
    .addHelpText(
      "after",
      "\nExamples:\n  parley replay ses_… --speed 4\n  parley replay ses_… --speed max --until 120",
    )
    .action(async (sessionId: string, options: ReplayCommandOptions) => {
      const { replay, readSpeed } = await import("./watch/replay.ts");
      const speed = readSpeed(options.speed);
      const until = options.until === undefined ? undefined : indexOf(options.until);
      const client = await connect(options);
      process.exitCode = await replay({ client, sessionId, speed, until, isJson: options.json ?? false });
    });
}

interface TailCommandOptions extends ServerOptions {
  readonly since?: string;
  readonly json?: true;
}

function tail(): Command {
  return new Command("tail")
    .summary("events live as they happen")
    .description(
      "Tells of events as they happen, one line each: when, in which session, by whom, what. Ctrl-C ends it.",
    )
    .argument("[session...]", "only these; else all, and those to come")
    .addOption(serverOption())
    .option(
      "--since <when>",
      "first what happened since then: 10m, 2h, 1d, or a time like 2026-01-31T12:00:00Z",
    )
    .option("--json", "the events as JSON lines")
    .addHelpText(
      "after",
      "\nExamples:\n  parley tail\n  parley tail ses_… --since 1h\n  parley tail --json | jq .type",
    )
    .action(async (sessionIds: readonly string[], options: TailCommandOptions) => {
      const since = options.since === undefined ? undefined : timeOf(options.since);
      const { tail } = await import("./watch/tail.ts");
      const client = await connect(options);
      const server = serverUrl(options.server);
      process.exitCode = await tail({ client, server, sessionIds, since, isJson: options.json ?? false });
    });
}

function indexOf(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new CommandError(`--until must be the index of an event like 120, not ${text}`, EXIT.usage);
}

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function timeOf(text: string): number {
  const [, count, unit = ""] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const at = count === undefined ? Date.parse(text) : Date.now() - Number(count) * (UNITS[unit] ?? 0);
  if (!Number.isNaN(at)) return at;
  throw new CommandError(`--since must be like 10m, 2h, 1d or 2026-01-31T12:00:00Z, not ${text}`, EXIT.usage);
}
