import { Command, Option } from "commander";
import { serverOption } from "../../server-address.ts";
import type { CreateKeyOptions } from "./create-key.ts";
import type { KeysOptions } from "./keys.ts";

/** `parley keys`: by which programs show who they are. */
export function keysCommand(): Command {
  return new Command("keys")
    .summary("API keys, by which people and programs show who they are")
    .description("Lists, makes and revokes API keys.")
    .addCommand(listCommand(), { isDefault: true })
    .addCommand(createCommand())
    .addCommand(revokeCommand())
    .addHelpText(
      "after",
      `
The first key is made where the data is (PARLEY_DATA), whether a server runs on it or not:
  parley keys create admin --role owner
Then:
  PARLEY_KEY=parley_… parley keys create ci --service-account ci --role editor --expires 90`,
    );
}

function listCommand(): Command {
  return new Command("list")
    .summary("the keys of a workspace")
    .description("Lists the API keys of a workspace; what is secret of them is known to nobody.")
    .addOption(workspaceOption("yours"))
    .option("--json", "as JSON")
    .addOption(serverOption())
    .action(async (options: KeysOptions) => (await import("./keys.ts")).listKeys(options));
}

function createCommand(): Command {
  return new Command("create")
    .summary("make a key")
    .description(
      "Makes an API key and prints it, this once: by the server, for who has a key or can read its data folder; or, where none answers, in the data itself.",
    )
    .argument("<name>", "what it is for")
    .option(
      "--service-account <name>",
      "the service account that it speaks for, which is created with it; yourself, or local, when left out",
    )
    .option("--user <user>", "the same; where the data is, it may also be a user that there is")
    .addOption(workspaceOption("yours, or default"))
    .addOption(
      new Option("--role <role>", "what it lets them do")
        .choices(["owner", "editor", "viewer"])
        .default("editor"),
    )
    .option("--expires <days>", "for how many days it is good; until it is revoked, when left out")
    .option("--data <folder>", "make it in this data folder, or by the server that runs on it (PARLEY_DATA)")
    .option("--database <url>", "make it in this Postgres, without a server (DATABASE_URL)")
    .option("--json", "as JSON")
    .addOption(serverOption())
    .action(async (name: string, options: CreateKeyOptions) =>
      (await import("./create-key.ts")).createKey(name, options),
    );
}

function revokeCommand(): Command {
  return new Command("revoke")
    .summary("make a key good for nothing")
    .description("Revokes an API key: what is open under it ends.")
    .argument("<key>", "its id, or how it begins")
    .addOption(workspaceOption("yours"))
    .addOption(serverOption())
    .action(async (key: string, options: KeysOptions) => (await import("./keys.ts")).revokeKey(key, options));
}

function workspaceOption(usual: string): Option {
  return new Option("--workspace <workspace>", `of which workspace; ${usual} when left out`);
}
