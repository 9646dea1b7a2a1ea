import { Command, InvalidArgumentError, Option } from "commander";
import { jsonOption, repeated, seconds } from "../option-values.ts";
import { serverOption } from "../server-address.ts";
import { ASPECTS, type Aspect } from "./difference.ts";
import type { RecordOptions } from "./record.ts";
import type { VerifyOptions } from "./verify.ts";

/** `parley record` and `parley verify`: sessions as regression tests. */
export function recordedCommands(): readonly Command[] {
  const record = new Command("record")
    .summary("record a session as a test")
    .description(
      "Record a session's messages, plans, agent calls with their answers, and final answers as a file that parley verify replays.",
    )
    .argument("<session>", "the session's id")
    .option("-o, --output <file>", "write to this file instead of standard output")
    .option("--redact <regex>", "mask all matches (repeatable)", repeated, [])
    .addOption(serverOption())
    .addHelpText(
      "after",
      `
Examples:
  parley record ses_4f1… -o tests/deploy.json
  parley record ses_4f1… --redact 'sk-[A-Za-z0-9]+' > tests/deploy.json`,
    )
    .action(async (session: string, options: RecordOptions) =>
      (await import("./record.ts")).record(session, options),
    );
  const verify = new Command("verify")
    .summary("replay recorded sessions and show differences")
    .description(
      "Send the recorded messages to a temporary platform whose agents answer as recorded, and compare plans, calls and texts. Needs no server, no key and no network.",
    )
    .argument("<files...>", "files from parley record")
    .option(
      "--model <name>",
      "the supervisor's model (default: the recorded one if it is offline, else the configured one)",
    )
    .option("--agents <folder>", "run agents from their files in this folder instead of replaying them")
    .addOption(
      new Option("--ignore <what>", `do not compare this: ${ASPECTS.join(", ")} (repeatable)`)
        .argParser(aspects)
        .default([], "nothing"),
    )
    .option("--timeout <seconds>", "for each message", seconds(86_400), 120)
    .option("--update", "write the new outcome to the files")
    .addOption(jsonOption())
    .addHelpText(
      "after",
      `
Exit codes: 0 no differences, 1 differences, 2 a file cannot be read.

Examples:
  parley verify tests/*.json
  parley verify tests/deploy.json --model anthropic:claude-… --ignore text
  parley verify tests/files.json --agents agents
  parley verify tests/deploy.json --update`,
    )
    .action(async (files: string[], options: VerifyOptions) => {
      process.exitCode = await (await import("./verify.ts")).verify(files, options);
    });
  return [record, verify];
}

function aspects(value: string, before: readonly Aspect[]): Aspect[] {
  const aspect = ASPECTS.find((one) => one === value);
  if (!aspect) throw new InvalidArgumentError(`It must be one of ${ASPECTS.join(", ")}.`);
  return [...before, aspect];
}
