import { Argument, Command } from "commander";
import { jsonOption, wholeNumber } from "../option-values.ts";
import { serverOption } from "../server-address.ts";
import { keysCommand } from "./access/keys-command.ts";
import type { AuditOptions } from "./access/show-audit.ts";
import { agentsCommand } from "./agents/agents-command.ts";
import { backupCommands } from "./backup/backup-commands.ts";
import { logsCommand } from "./logs/logs-command.ts";
import { mcpCommand } from "./mcp-command.ts";
import { sessionsCommand } from "./sessions/sessions-command.ts";
import { webhooksCommand } from "./webhooks/webhooks-command.ts";

/** The commands that manage a Parley: its agents, sessions, logs, keys and data. */
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
    .summary("create a folder with an example agent and MCP server")
    .description(
      "Create a folder with an agent, its MCP server, mcp.json and a README; existing files are not overwritten.",
    )
    .argument("[folder]", "the new folder", "my-agents")
    .addHelpText("after", "\nExample:\n  parley init my-agents\n  parley up --agents my-agents")
    .action(async (folder: string) => (await import("./init/create-project.ts")).createProject(folder));
}

const SHELLS = ["bash", "zsh", "fish"] as const;

function completionCommand(): Command {
  return new Command("completion")
    .description("print a shell completion script")
    .addArgument(new Argument("<shell>", "the shell").choices(SHELLS))
    .addHelpText(
      "after",
      `
Examples:
  source <(parley completion bash)           in ~/.bashrc
  source <(parley completion zsh)            in ~/.zshrc, after compinit
  parley completion fish > ~/.config/fish/completions/parley.fish`,
    )
    .action(async (shell: (typeof SHELLS)[number], _options: object, command: Command) => {
      const { printCompletion } = await import("./completion.ts");
      await printCompletion(shell, command.parent ?? command);
    });
}

function auditCommand(): Command {
  return new Command("audit")
    .summary("show who did what: keys, agents, sessions, logins")
    .description("Show the audit log of a workspace, newest first; only its owners may read it.")
    .option("--limit <number>", "how many entries", wholeNumber(1), 50)
    .option("--before <index>", "only entries before this one", wholeNumber(1))
    .option("--workspace <workspace>", "the workspace (default: yours)")
    .addOption(jsonOption())
    .addOption(serverOption())
    .action(async (options: AuditOptions) => (await import("./access/show-audit.ts")).showAudit(options));
}
