import { Command } from "commander";
import { commandGroup } from "../../command-group.ts";
import { jsonOption, repeated } from "../../option-values.ts";
import { type PrintOptions, type ServerOptions, serverOption } from "../../server-address.ts";
import type { AddOptions } from "./add-agent.ts";

/** `parley agents`: the agents that the supervisor can use. */
export function agentsCommand(): Command {
  return commandGroup("agents", listCommand())
    .description("manage the agents that the supervisor can use")
    .addCommand(addCommand())
    .addCommand(checkCommand())
    .addCommand(changeCommand("remove", "remove an added agent"))
    .addCommand(changeCommand("restore", "restore a removed agent, with its credentials"))
    .addCommand(changeCommand("enable", "let the supervisor use an agent again"))
    .addCommand(changeCommand("disable", "keep the supervisor from using an agent"))
    .addHelpText("after", "\nExamples:\n  parley agents\n  parley agents add http://localhost:9001");
}

function listCommand(): Command {
  return new Command("list")
    .description("list all agents with their state, protocol and statistics")
    .addOption(jsonOption())
    .addOption(serverOption())
    .action(async (options: PrintOptions) => (await import("./agents.ts")).listAgents(options));
}

function addCommand(): Command {
  return new Command("add")
    .summary("add an agent by its URL")
    .description("Check an agent, print the result, and add it; asks first if there are errors.")
    .argument("<url>", "the URL of the agent or of its card")
    .option("--name <name>", "a display name instead of the one in its card")
    .option(
      "--auth <scheme=secret>",
      "a credential for a security scheme of the card; the secret may be env:NAME or @FILE (repeatable)",
      repeated,
    )
    .option("-y, --yes", "add it despite errors")
    .addOption(jsonOption())
    .addOption(serverOption())
    .addHelpText(
      "after",
      `
Examples:
  parley agents add http://localhost:9001
  parley agents add https://tickets.example.com --name tickets --auth bearerAuth=env:TICKETS_TOKEN
  parley agents add https://old.example.com --auth login=@password.txt    user:password, in a file`,
    )
    .action(async (url: string, options: AddOptions) =>
      (await import("./add-agent.ts")).addAgent(url, options),
    );
}

function checkCommand(): Command {
  return new Command("check")
    .summary("check an agent now")
    .description("Check an agent and print the result; the exit code is 1 if it cannot be used.")
    .argument("<agent>", "its name, or the URL of any agent")
    .addOption(jsonOption())
    .addOption(serverOption())
    .action(async (agent: string, options: PrintOptions) =>
      (await import("./add-agent.ts")).checkAgent(agent, options),
    );
}

function changeCommand(change: "remove" | "restore" | "enable" | "disable", description: string): Command {
  return new Command(change)
    .description(description)
    .argument("<name>", "the agent's name")
    .addOption(serverOption())
    .action(async (name: string, options: ServerOptions) =>
      (await import("./agents.ts")).changeAgent(name, change, options),
    );
}
