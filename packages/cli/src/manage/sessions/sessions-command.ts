import { Command, InvalidArgumentError, Option } from "commander";
import { listingGroup } from "../../listing-group.ts";
import { type ServerOptions, serverOption } from "../../server-address.ts";
import type { ForkOptions } from "./change-session.ts";
import type { ListOptions } from "./list-sessions.ts";
import type { ExportOptions } from "./session-file.ts";
import type { ShowOptions } from "./show-session.ts";

type Asked = ServerOptions & { readonly json?: boolean };

const ID = "its id, or the beginning of it";

/** `parley sessions`: the record of conversations. */
export function sessionsCommand(): Command {
  return listingGroup("sessions", listCommand())
    .summary("the conversations that are recorded")
    .description("Lists, shows, forks, exports, imports, deletes and finds sessions.")
    .addCommand(showCommand())
    .addCommand(forkCommand())
    .addCommand(exportCommand())
    .addCommand(importCommand())
    .addCommand(removalCommand("delete", "delete a session; it can be restored for 30 days"))
    .addCommand(removalCommand("restore", "take a deletion back"))
    .addCommand(searchCommand())
    .addHelpText(
      "after",
      `
A session is named by its id or the beginning of it.

Examples:
  parley sessions
  parley sessions show 4f2a --events
  parley sessions search "disk full"`,
    );
}

function listCommand(): Command {
  return new Command("list")
    .summary("the newest sessions")
    .description("Lists sessions, the newest first.")
    .option("--limit <number>", "how many", wholeNumber, 20)
    .addOption(new Option("--status <status>", "only these").choices(["active", "archived", "deleted"]))
    .option("--cursor <text>", "the page after the one that ended with it")
    .option("--json", "as JSON, with the cursor of the next page")
    .addOption(serverOption())
    .action(async (options: ListOptions) => (await import("./list-sessions.ts")).listSessions(options));
}

function showCommand(): Command {
  return new Command("show")
    .summary("a session's messages, runs and forks")
    .description("Shows a session: its messages, the runs of agents in it, its forks, and its events.")
    .argument("<session>", ID)
    .option("--events", "its events too, one line each")
    .option("--json", "as JSON")
    .addOption(serverOption())
    .action(async (id: string, options: ShowOptions) =>
      (await import("./show-session.ts")).showSession(id, options),
    );
}

function forkCommand(): Command {
  return new Command("fork")
    .summary("begin another session with the messages of this one")
    .description("Makes a session that begins as this one does, up to a message or an event; prints its id.")
    .argument("<session>", ID)
    .addOption(new Option("--at <message>", "the last message that it begins with").conflicts("event"))
    .option("--event <index>", "as it was at this event", wholeNumber)
    .option("--title <text>", "what it is called")
    .option("--json", "as JSON")
    .addOption(serverOption())
    .action(async (id: string, options: ForkOptions) =>
      (await import("./change-session.ts")).forkSession(id, options),
    );
}

function exportCommand(): Command {
  return new Command("export")
    .summary("a session as JSON lines or Markdown")
    .description(
      "Writes a session's events as JSON lines, which can be imported, or its messages as Markdown.",
    )
    .argument("<session>", ID)
    .addOption(new Option("--format <format>", "how").choices(["jsonl", "markdown"]).default("jsonl"))
    .option("-o, --output <file>", "into a new file, instead of standard output")
    .addOption(serverOption())
    .addHelpText("after", "\nExample:\n  parley sessions export 4f2a -o kept.jsonl")
    .action(async (id: string, options: ExportOptions) =>
      (await import("./session-file.ts")).exportSession(id, options),
    );
}

function importCommand(): Command {
  return new Command("import")
    .summary("take an exported session in")
    .description("Takes in a session that was exported as JSON lines, as a new one; prints its id.")
    .argument("<file>", "the exported file; - for standard input")
    .option("--json", "as JSON")
    .addOption(serverOption())
    .action(async (file: string, options: Asked) =>
      (await import("./session-file.ts")).importSession(file, options),
    );
}

function removalCommand(change: "delete" | "restore", summary: string): Command {
  return new Command(change)
    .summary(summary)
    .description(
      change === "delete" ? "Deletes a session; it can be restored for 30 days." : "Takes a deletion back.",
    )
    .argument("<session>", ID)
    .addOption(serverOption())
    .action(async (id: string, options: ServerOptions) =>
      (await import("./change-session.ts")).removeSession(id, change, options),
    );
}

function searchCommand(): Command {
  return new Command("search")
    .summary("find sessions by what was said")
    .description("Searches titles and messages, and prints the best first.")
    .argument("<words...>", "what to look for")
    .option("--limit <number>", "how many", wholeNumber, 20)
    .option("--json", "as JSON")
    .addOption(serverOption())
    .action(async (words: readonly string[], options: Asked & { readonly limit: number }) =>
      (await import("./list-sessions.ts")).searchSessions(words.join(" "), options),
    );
}

function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number from 1 on.");
}
