import type { Command } from "commander";
import { auditCommand } from "./access/audit-command.ts";
import { keysCommand } from "./access/keys-command.ts";
import { agentsCommand } from "./agents/agents-command.ts";
import { backupCommands } from "./backup/backup-commands.ts";
import { completionCommand } from "./completion/completion-command.ts";
import { initCommand } from "./init/init-command.ts";
import { logsCommand } from "./logs/logs-command.ts";
import { mcpCommand } from "./mcp-command.ts";
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
