import { Command } from "commander";
import { jsonOption, repeated, seconds } from "../option-values.ts";
import type { DoctorOptions } from "./doctor.ts";

/** Short, and harmless to act on. */
const DEFAULT_MESSAGE = "Hello. Please introduce yourself in one sentence; this is only a test.";

/** `parley doctor`: examines any A2A agent. */
export function doctorCommands(): readonly Command[] {
  const doctor = new Command("doctor")
    .summary("check any A2A agent")
    .description(
      "Checks any A2A agent against the protocol: its card, its versions and bindings, every operation that it claims, its streams, " +
        "its errors, and how it handles large, late or invalid requests.\n\n" +
        "It sends real messages (about ten per interface in the card), so the agent does real work; unfinished tasks are " +
        "canceled, also after Ctrl-C. It makes at most 600 requests and takes at most ten minutes.",
    )
    .argument("[url]", "the URL of the agent or of its card")
    .option("--message <text>", "the message to send", DEFAULT_MESSAGE)
    .option(
      "--header <line>",
      "sent with every request and never printed, like 'Authorization: Bearer …' (repeatable)",
      repeated,
      [],
    )
    .option("--timeout <seconds>", "for each answer and each stream", seconds(600), 30)
    .option(
      "--only <word>",
      "run only checks with this word in their id, topic or title (repeatable)",
      repeated,
      [],
    )
    .option(
      "--allow <url>",
      "another host that the card names, or a key set (jku) to verify its signature (repeatable)",
      repeated,
      [],
    )
    .option("--key <file>", "a JWK or JWKS to verify the card's signature (repeatable)", repeated, [])
    .option("--strict", "fail on warnings, too")
    .option("--verbose", "print the requests and responses behind each finding")
    .addOption(jsonOption("print one JSON document with all the evidence"))
    .option("--list", "list all checks and send nothing")
    .addHelpText(
      "after",
      `
Examples:
  parley doctor http://localhost:8001
  parley doctor https://agent.example.com --header 'Authorization: Bearer …' --strict
  parley doctor http://localhost:8001 --only stream --verbose
  parley doctor http://localhost:8001 --message "Count to fifty, slowly" --json

Exit codes: 0 no MUST is violated, 1 one is (--strict: or a SHOULD), 2 wrong usage, 3 no agent found.
docs/doctor.md explains each check.`,
    )
    .action(
      async (
        url: string | undefined,
        options: DoctorOptions & { readonly list?: boolean },
        command: Command,
      ) => {
        const { doctor, listChecks } = await import("./doctor.ts");
        if (options.list) return listChecks(options.json ?? false);
        if (url === undefined) command.error("error: missing required argument 'url'");
        process.exitCode = await doctor(url as string, options);
      },
    );
  return [doctor];
}
