import { Command, InvalidArgumentError } from "commander";
import { jsonOption, pastTime, seconds, wholeNumber } from "../option-values.ts";
import { connect, type ServerOptions, serverOption, serverUrl } from "../server-address.ts";
import type { ChatCommandOptions } from "./chat-command.ts";

/** `parley chat`, `parley replay` and `parley tail`: conversations for people. */
export function talkCommands(): readonly Command[] {
  return [chat(), replay(), tail()];
}

function chat(): Command {
  return new Command("chat")
    .summary("chat with the supervisor, or ask one question")
    .description(
      "Chat with the supervisor or with one agent. On a terminal it is a conversation; with a question, or with text on standard input, it prints one answer: the answer on standard output, everything else on standard error.",
    )
    .argument("[question...]", "the question; text on standard input is appended to it")
    .addOption(serverOption())
    .option("--session <id>", "continue this session")
    .option("--agent <name>", "talk to this agent instead of the supervisor")
    .option("--json", "print events as JSON Lines, with a summary as the last line")
    .option("--verbose", "print the plan and tool calls to standard error, even if that is not a terminal")
    .option("--yes", "approve all requests for approval")
    .option("--no", "deny all requests for approval")
    .option("--files <folder>", "save the files of the answer in this folder")
    .option("--timeout <seconds>", "stop waiting after this time; the run continues", seconds(2_000_000))
    .addHelpText(
      "after",
      `
Examples:
  parley chat                                    a conversation; type /help there for commands
  parley chat "show argocd version"              one answer
  cat app.log | parley chat "what is wrong?"     the file is appended to the question
  parley chat --session ses_… "and yesterday?"   continues a session
  parley chat --files . "draw a chart of 3, 5, 8"
  parley chat --json "what is 6 times 7?" | tail -1

An answer to a pipe or a file is written line by line as it arrives. If an agent restarts its answer, the final answer is
written again at the end, below a line that says so.
Exit codes: 0 the run completed, 1 it failed or waits for approval.`,
    )
    .action(async (words: readonly string[], options: ChatCommandOptions) => {
      const { chatCommand } = await import("./chat-command.ts");
      process.exitCode = await chatCommand(words, options);
    });
}

interface ReplayCommandOptions extends ServerOptions {
  readonly speed: number;
  readonly until?: number;
  readonly json?: true;
}

function replay(): Command {
  return new Command("replay")
    .summary("show a session as it happened")
    .description("Show a session as it happened, with its timing; pauses are cut to two seconds.")
    .argument("<session>", "the session's id")
    .addOption(serverOption())
    .option("--speed <times>", "the speed factor, or max", speed, 1)
    .option("--until <index>", "stop at the event with this index", wholeNumber(1))
    .addOption(jsonOption("print events as JSON Lines"))
    .addHelpText(
      "after",
      "\nExamples:\n  parley replay ses_… --speed 4\n  parley replay ses_… --speed max --until 120",
    )
    .action(async (sessionId: string, options: ReplayCommandOptions) => {
      const { replay } = await import("./watch/replay.ts");
      const { speed, until, json: isJson = false } = options;
      const client = await connect(options);
      process.exitCode = await replay({ client, sessionId, speed, until, isJson });
    });
}

interface TailCommandOptions extends ServerOptions {
  readonly since?: number;
  readonly json?: true;
}

function tail(): Command {
  return new Command("tail")
    .summary("print events as they happen")
    .description(
      "Print events as they happen, one per line: time, session, agent and what happened. Ctrl-C stops it.",
    )
    .argument("[session...]", "only these sessions (default: all, including new ones)")
    .addOption(serverOption())
    .option("--since <when>", "start with events since then: 10m, 2h, 1d, or a date", (text) =>
      pastTime(text),
    )
    .addOption(jsonOption("print events as JSON Lines"))
    .addHelpText(
      "after",
      "\nExamples:\n  parley tail\n  parley tail ses_… --since 1h\n  parley tail --json | jq .type",
    )
    .action(async (sessionIds: readonly string[], options: TailCommandOptions) => {
      const { tail } = await import("./watch/tail.ts");
      const { since, json: isJson = false } = options;
      const client = await connect(options);
      process.exitCode = await tail({ client, server: serverUrl(options.server), sessionIds, since, isJson });
    });
}

function speed(text: string): number {
  if (text === "max") return Number.POSITIVE_INFINITY;
  const factor = Number(text);
  if (factor > 0 && Number.isFinite(factor)) return factor;
  throw new InvalidArgumentError("It must be a number like 4, or max.");
}
