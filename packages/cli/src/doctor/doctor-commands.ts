import { Command, InvalidArgumentError } from "commander";
import type { DoctorOptions } from "./doctor.ts";

/** What the agent is asked unless somebody says otherwise: short, and harmless to act on. */
const HARMLESS = "Hello. Please introduce yourself in one sentence; this is only a test.";

/** `parley doctor`: examines any A2A agent. */
export function doctorCommands(): readonly Command[] {
  const doctor = new Command("doctor")
    .summary("examine any A2A agent")
    .description(
      "Examines an A2A agent of any make: its card, its versions and bindings, every operation that it claims, its streams, " +
        "its errors, and how it takes what is large, late or wrong.\n\n" +
        "It sends real messages (about ten for each interface that the card claims), so the agent does real work; it cancels what it leaves " +
        "unfinished, also after Ctrl-C. It is bounded: 600 requests and ten minutes at most.",
    )
    .argument("[url]", "the agent's base URL, or its card's")
    .option("--message <text>", "what to ask the agent", HARMLESS)
    .option(
      "--header <line>",
      "sent with every request and never printed, like 'Authorization: Bearer …' (repeatable)",
      collect,
      [],
    )
    .option("--timeout <seconds>", "for each answer, and for each stream", seconds, 30)
    .option("--only <word>", "only checks with this word in id, topic or title (repeatable)", collect, [])
    .option(
      "--allow <url>",
      "another host that the card names, or a key set (jku) to verify its signature by (repeatable)",
      collect,
      [],
    )
    .option("--key <file>", "a JWK or JWKS that signs the card (repeatable)", collect, [])
    .option("--strict", "warnings fail, too")
    .option("--verbose", "with the requests and answers behind each finding")
    .option("--json", "one JSON document with all the evidence")
    .option("--list", "name all checks, and ask nothing")
    .addHelpText(
      "after",
      `
Examples:
  parley doctor http://localhost:8001
  parley doctor https://agent.example.com --header 'Authorization: Bearer …' --strict
  parley doctor http://localhost:8001 --only stream --verbose
  parley doctor http://localhost:8001 --message "Count to fifty, slowly" --json

Exit codes: 0 no MUST is violated, 1 one is (--strict: or a SHOULD), 2 the command line is wrong, 3 no agent there.
Each check is explained in docs/doctor.md.`,
    )
    .action(
      async (
        url: string | undefined,
        options: DoctorOptions & { readonly list?: boolean },
        command: Command,
      ) => {
        if (options.list) {
          const { listChecks } = await import("./list-checks.ts");
          process.stdout.write(listChecks(options.json ?? false));
          return;
        }
        if (url === undefined) command.error("error: missing required argument 'url'");
        const { doctor } = await import("./doctor.ts");
        process.exitCode = await doctor(url as string, options);
      },
    );
  return [doctor];
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

function seconds(text: string): number {
  const value = Number(text);
  if (value > 0 && value <= 600) return value;
  throw new InvalidArgumentError("It is a number of seconds, from 0.1 to 600.");
}
