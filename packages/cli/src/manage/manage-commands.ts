import { Argument, Command, InvalidArgumentError } from "commander";
import { listingGroup } from "../listing-group.ts";
import { type ServerOptions, serverOption } from "../server-address.ts";
import { keysCommand } from "./access/keys-command.ts";
import type { AuditOptions } from "./access/show-audit.ts";
import { agentsCommand } from "./agents/agents-command.ts";
import { backupCommands } from "./backup/backup-commands.ts";
import { logsCommand } from "./logs/logs-command.ts";
import { sessionsCommand } from "./sessions/sessions-command.ts";
import { webhooksCommand } from "./webhooks/webhooks-command.ts";

/** What looks after a Parley: its agents, its record, its log, its data, and what helps to begin. */
export function manageCommands(): readonly Command[] {
  return [
    agentsCommand(),
    mcpCommand(),
    sessionsCommand(),
    webhooksCommand(),
    logsCommand(),
    keysCommand(),
    auditCommand(),
    ...backupCommands(),
    initCommand(),
    completionCommand(),
  ];
}

function initCommand(): Command {
  return new Command("init")
    .summary("a folder with an agent and a tool server to begin with")
    .description(
      "Makes a folder with an agent, an MCP server of its own, mcp.json and a README; overwrites nothing.",
    )
    .argument("[folder]", "the new folder", "my-agents")
    .addHelpText("after", "\nExample:\n  parley init my-agents\n  parley up --agents my-agents")
    .action(async (folder: string) => (await import("./init/make-project.ts")).makeProject(folder));
}

const SHELLS = ["bash", "zsh", "fish"] as const;

function completionCommand(): Command {
  return new Command("completion")
    .summary("a script with which your shell completes parley")
    .description("Prints a script with which a shell completes commands, options and their values.")
    .addArgument(new Argument("<shell>", "which one").choices(SHELLS))
    .addHelpText(
      "after",
      `
Examples:
  source <(parley completion bash)           in ~/.bashrc
  source <(parley completion zsh)            in ~/.zshrc, after compinit
  parley completion fish > ~/.config/fish/completions/parley.fish`,
    )
    .action(async (shell: (typeof SHELLS)[number], _options: object, command: Command) => {
      const { printCompletion } = await import("./completion/print-completion.ts");
      await printCompletion(shell, command.parent ?? command);
    });
}

function auditCommand(): Command {
  return new Command("audit")
    .summary("who did what: keys, agents, sessions, logins")
    .description("Prints the audit log of a workspace, the newest first; it is for its owners.")
    .option("--limit <number>", "how many", wholeNumber, 50)
    .option("--before <index>", "those before this one", wholeNumber)
    .option("--workspace <workspace>", "of which workspace; yours when left out")
    .option("--json", "as JSON")
    .addOption(serverOption())
    .action(async (options: AuditOptions) => (await import("./access/show-audit.ts")).showAudit(options));
}

function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number from 1 on.");
}

function mcpCommand(): Command {
  const list = new Command("list")
    .summary("the MCP servers of all agents, with their tools")
    .description(
      "Lists the MCP servers of all agents: how each is, why it is down, and which tools it gives.",
    )
    .option("--json", "as JSON")
    .addOption(serverOption())
    .action(async (options: ServerOptions & { readonly json?: boolean }) =>
      (await import("./list-mcp-servers.ts")).listMcpServers(options),
    );
  const stdio = new Command("stdio")
    .summary("Parley as an MCP server, for clients that start a program")
    .description(
      "Speaks MCP on standard input and output, for clients that only start programs, such as Claude Desktop: what they say goes to a running Parley.",
    )
    .addOption(serverOption())
    .action(async (options: ServerOptions) => (await import("./bridge-mcp.ts")).bridgeMcp(options));
  return listingGroup("mcp", list)
    .addCommand(stdio)
    .summary("the MCP servers that agents use, and Parley as one")
    .description("Shows the MCP servers that give agents their tools, and is one itself.");
}
