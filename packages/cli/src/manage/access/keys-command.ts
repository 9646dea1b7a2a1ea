import { Command, Option } from "commander";
import { jsonOption, wholeNumber } from "../../option-values.ts";
import { serverOption } from "../../server-address.ts";
import type { CreateKeyOptions, KeysOptions } from "./keys.ts";

const workspaceOption = () => new Option("--workspace <workspace>", "the workspace (default: yours)");

/** `parley keys`: API keys of people and programs. */
export function keysCommand(): Command {
  return new Command("keys")
    .description("manage API keys for people and programs")
    .addCommand(listCommand(), { isDefault: true })
    .addCommand(createCommand())
    .addCommand(revokeCommand())
    .addHelpText(
      "after",
      `
Create the first key on the machine with the data folder (PARLEY_DATA), whether or not the server is running:
  parley keys create admin --role owner
Then:
  PARLEY_KEY=parley_… parley keys create ci --service-account ci --role editor --expires 90`,
    );
}

function listCommand(): Command {
  return new Command("list")
    .description("list the API keys of a workspace, without their secrets")
    .addOption(workspaceOption())
    .addOption(jsonOption())
    .addOption(serverOption())
    .action(async (options: KeysOptions) => (await import("./keys.ts")).listKeys(options));
}

function createCommand(): Command {
  return new Command("create")
    .summary("create an API key")
    .description(
      "Create an API key and print it once. The server creates it if you have a key or can read its data folder; if no server answers, it is created in the data folder.",
    )
    .argument("<name>", "what the key is for")
    .option(
      "--service-account <name>",
      "the service account that the key acts for, created with it (default: yourself, or local)",
    )
    .option("--user <user>", "the same; in the data folder it may also be an existing user")
    .addOption(workspaceOption())
    .addOption(
      new Option("--role <role>", "the key's role").choices(["owner", "editor", "viewer"]).default("editor"),
    )
    .option("--expires <days>", "expire after this many days (default: never)", wholeNumber(1))
    .option("--data <folder>", "create it in this data folder, or by the server that uses it (PARLEY_DATA)")
    .option("--database <url>", "create it in this Postgres database, without a server (DATABASE_URL)")
    .addOption(jsonOption())
    .addOption(serverOption())
    .action(async (name: string, options: CreateKeyOptions) =>
      (await import("./keys.ts")).createKey(name, options),
    );
}

function revokeCommand(): Command {
  return new Command("revoke")
    .description("revoke an API key and close its open connections")
    .argument("<key>", "its id or prefix")
    .addOption(workspaceOption())
    .addOption(serverOption())
    .action(async (key: string, options: KeysOptions) => (await import("./keys.ts")).revokeKey(key, options));
}
