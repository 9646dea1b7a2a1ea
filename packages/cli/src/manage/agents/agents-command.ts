import { Command } from "commander";
import { listingGroup } from "../../listing-group.ts";
import { type ServerOptions, serverOption } from "../../server-address.ts";
import type { AddOptions } from "./add-agent.ts";

type Listed = ServerOptions & { readonly json?: boolean };

/** `parley agents`: whom the supervisor can ask. */
export function agentsCommand(): Command {
  return listingGroup("agents", listCommand())
    .summary("the agents that the supervisor can ask")
    .description("Lists, adds, examines and removes the agents that the supervisor can ask.")
    .addCommand(addCommand())
    .addCommand(checkCommand())
    .addCommand(changeCommand("remove", "take an agent out", "Takes out an agent that was added."))
    .addCommand(
      changeCommand("restore", "take a removal back", "Takes a removal back, with its credentials."),
    )
    .addCommand(changeCommand("enable", "let an agent be asked again", "Lets the supervisor ask it again."))
    .addCommand(changeCommand("disable", "keep an agent from being asked", "Keeps it from being asked."))
    .addHelpText("after", "\nExamples:\n  parley agents\n  parley agents add http://localhost:9001");
}

function listCommand(): Command {
  return new Command("list")
    .summary("all agents, how they are and how they have done")
    .description("Lists all agents: how each is, how it is spoken to, and how its work has ended.")
    .option("--json", "as JSON")
    .addOption(serverOption())
    .action(async (options: Listed) => (await import("./list-agents.ts")).listAgents(options));
}

function addCommand(): Command {
  return new Command("add")
    .summary("add an agent by its URL")
    .description("Looks at an agent, says what it found, and adds it; asks first when something is wrong.")
    .argument("<url>", "its base address, or its card's")
    .option("--name <name>", "what it is called here, instead of as its card says")
    .option(
      "--auth <scheme=secret>",
      "a credential, by the name of the card's security scheme; secret may be env:NAME or @FILE; repeatable",
      (value: string, before: readonly string[] = []) => [...before, value],
    )
    .option("-y, --yes", "add it although something is wrong")
    .option("--json", "the agent as JSON")
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
    .summary("look at an agent now")
    .description(
      "Looks at an agent, by name or URL, and says what it found; exit code 1 when it cannot be used.",
    )
    .argument("<agent>", "its name, or the URL of any agent")
    .option("--json", "as JSON")
    .addOption(serverOption())
    .action(async (agent: string, options: Listed) =>
      (await import("./add-agent.ts")).checkAgent(agent, options),
    );
}

function changeCommand(
  change: "remove" | "restore" | "enable" | "disable",
  summary: string,
  description: string,
): Command {
  return new Command(change)
    .summary(summary)
    .description(description)
    .argument("<name>", "the agent's name")
    .addOption(serverOption())
    .action(async (name: string, options: ServerOptions) =>
      (await import("./change-agent.ts")).changeAgent(name, change, options),
    );
}
