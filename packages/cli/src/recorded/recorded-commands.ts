import { Command, InvalidArgumentError, Option } from "commander";
import { serverOption } from "../server-address.ts";
import { ASPECTS, type Aspect } from "./difference.ts";
import type { RecordOptions } from "./record.ts";
import type { VerifyOptions } from "./verify.ts";

/** `parley record` and `parley verify`: a session becomes a test. */
export function recordedCommands(): readonly Command[] {
  const record = new Command("record")
    .summary("make a test of a session")
    .description(
      "Writes what was said in a session, the plans, every call of an agent with what it answered, and the answers, as a file that parley verify runs again.",
    )
    .argument("<session>", "the session's id")
    .option("-o, --output <file>", "the file to write; without it, standard output")
    .option("--redact <regex>", "hide whatever matches; may be repeated", gathered, [])
    .addOption(serverOption())
    .addHelpText(
      "after",
      "\nExamples:\n  parley record ses_4f1… -o tests/deploy.json\n  parley record ses_4f1… --redact 'sk-[A-Za-z0-9]+' > tests/deploy.json",
    )
    .action(async (session: string, options: RecordOptions) => {
      const { record } = await import("./record.ts");
      await record(session, options);
    });
  const verify = new Command("verify")
    .summary("run recorded sessions again, and show what differs")
    .description(
      "Sends the recorded messages to a platform of its own in a temporary folder, whose agents answer as they did, and compares plans, calls and texts. Needs no server, no key and no network.",
    )
    .argument("<files...>", "files of parley record")
    .option(
      "--model <name>",
      "the supervisor's model; by default the recorded one if it is offline, else the configured one",
    )
    .option("--agents <folder>", "take agents from their files here instead of what was recorded of them")
    .addOption(
      new Option("--ignore <what>", `do not compare this (${ASPECTS.join(", ")}); may be repeated`)
        .argParser(aspects)
        .default([], "nothing"),
    )
    .option("--timeout <seconds>", "how long one message may take", seconds, 120)
    .option("--update", "write what came this time into the files")
    .option("--json", "print one JSON document")
    .addHelpText(
      "after",
      "\nExit codes: 0 all are the same, 1 something differs, 2 a file cannot be read.\n\nExamples:\n  parley verify tests/*.json\n  parley verify tests/deploy.json --model anthropic:claude-… --ignore text\n  parley verify tests/files.json --agents agents\n  parley verify tests/deploy.json --update",
    )
    .action(async (files: string[], options: VerifyOptions) => {
      const { verify } = await import("./verify.ts");
      process.exitCode = await verify(files, options);
    });
  return [record, verify];
}

function gathered(value: string, before: readonly string[]): string[] {
  return [...before, value];
}

function aspects(value: string, before: readonly Aspect[]): Aspect[] {
  const aspect = ASPECTS.find((one) => one === value);
  if (!aspect) throw new InvalidArgumentError(`It must be one of ${ASPECTS.join(", ")}.`);
  return [...before, aspect];
}

function seconds(value: string): number {
  const number = Number(value);
  if (number > 0 && number <= 86_400) return number;
  throw new InvalidArgumentError("It must be a number of seconds.");
}
