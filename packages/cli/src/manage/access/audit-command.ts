import { Command, InvalidArgumentError } from "commander";
import { serverOption } from "../../server-address.ts";
import type { AuditOptions } from "./show-audit.ts";

/** `parley audit`: who did what. */
export function auditCommand(): Command {
  return new Command("audit")
    .summary("who did what: keys, agents, sessions, logins")
    .description("Prints the audit log of a workspace, the newest first; it is for its owners.")
    .option("--limit <number>", "how many", wholeNumber, 50)
    .option("--before <index>", "those before this one", wholeNumber)
    .option("--workspace <workspace>", "of which workspace; yours when left out")
    .option("--json", "as JSON")
    .addOption(serverOption())
    .action(async (options: AuditOptions) => (await import("./show-audit.ts")).showAudit(options));
}

function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number from 1 on.");
}
