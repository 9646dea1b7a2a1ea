import { Command, Option } from "commander";
import { commandGroup } from "../../command-group.ts";
import { jsonOption, wholeNumber } from "../../option-values.ts";
import { type PrintOptions, type ServerOptions, serverOption } from "../../server-address.ts";
import type { ExportOptions, ForkOptions, ListOptions } from "./sessions.ts";
import type { ShowOptions } from "./show-session.ts";

const ID = "its id, or the beginning of it";
const sessions = () => import("./sessions.ts");

/** `parley sessions`: the recorded conversations. */
export function sessionsCommand(): Command {
  return commandGroup("sessions", listCommand())
    .description("list, show, fork, export, import, delete and search recorded conversations")
    .addCommand(showCommand())
    .addCommand(forkCommand())
    .addCommand(exportCommand())
    .addCommand(importCommand())
    .addCommand(removalCommand("delete", "delete a session; it can be restored for 30 days"))
    .addCommand(removalCommand("restore", "restore a deleted session"))
    .addCommand(searchCommand())
    .addHelpText(
      "after",
      `
A session can be given by its id or the beginning of it.

Examples:
  parley sessions
  parley sessions show 4f2a --events
  parley sessions search "disk full"`,
    );
}

function listCommand(): Command {
  return new Command("list")
    .description("list sessions, newest first")
    .option("--limit <number>", "how many", wholeNumber(1), 20)
    .addOption(
      new Option("--status <status>", "only with this status").choices(["active", "archived", "deleted"]),
    )
    .option("--cursor <text>", "start at this page")
    .addOption(jsonOption("print JSON, with the cursor of the next page"))
    .addOption(serverOption())
    .action(async (options: ListOptions) => (await sessions()).listSessions(options));
}

function showCommand(): Command {
  return new Command("show")
    .description("show the messages, runs and forks of a session")
    .argument("<session>", ID)
    .option("--events", "also list its events")
    .addOption(jsonOption())
    .addOption(serverOption())
    .action(async (id: string, options: ShowOptions) =>
      (await import("./show-session.ts")).showSession(id, options),
    );
}

function forkCommand(): Command {
  return new Command("fork")
    .summary("fork a session")
    .description(
      "Create a session with the messages of this one, up to a message or an event, and print its id.",
    )
    .argument("<session>", ID)
    .addOption(new Option("--at <message>", "the id of the last message to keep").conflicts("event"))
    .option("--event <index>", "fork as of this event", wholeNumber(1))
    .option("--title <text>", "the title of the fork")
    .addOption(jsonOption())
    .addOption(serverOption())
    .action(async (id: string, options: ForkOptions) => (await sessions()).forkSession(id, options));
}

function exportCommand(): Command {
  return new Command("export")
    .summary("export a session as JSON Lines or Markdown")
    .description(
      "Export a session's events as JSON Lines, which can be imported, or its messages as Markdown.",
    )
    .argument("<session>", ID)
    .addOption(new Option("--format <format>", "the format").choices(["jsonl", "markdown"]).default("jsonl"))
    .option("-o, --output <file>", "write to a new file instead of standard output")
    .addOption(serverOption())
    .addHelpText("after", "\nExample:\n  parley sessions export 4f2a -o kept.jsonl")
    .action(async (id: string, options: ExportOptions) => (await sessions()).exportSession(id, options));
}

function importCommand(): Command {
  return new Command("import")
    .summary("import an exported session")
    .description("Import a session that was exported as JSON Lines, and print its new id.")
    .argument("<file>", "the exported file, or - for standard input")
    .addOption(jsonOption())
    .addOption(serverOption())
    .action(async (file: string, options: PrintOptions) => (await sessions()).importSession(file, options));
}

function removalCommand(change: "delete" | "restore", description: string): Command {
  return new Command(change)
    .description(description)
    .argument("<session>", ID)
    .addOption(serverOption())
    .action(async (id: string, options: ServerOptions) =>
      (await sessions()).removeSession(id, change, options),
    );
}

function searchCommand(): Command {
  return new Command("search")
    .description("search titles and messages, best results first")
    .argument("<words...>", "what to search for")
    .option("--limit <number>", "how many results", wholeNumber(1), 20)
    .addOption(jsonOption())
    .addOption(serverOption())
    .action(async (words: readonly string[], options: PrintOptions & { readonly limit: number }) =>
      (await sessions()).searchSessions(words.join(" "), options),
    );
}
