import { connected, type ServerOptions } from "../../server-address.ts";
import { oneLine } from "../../terminal/plain-text.ts";
import { printJson, printText, tell } from "../../terminal/print.ts";
import { shownTime } from "../../terminal/shown-time.ts";
import { table } from "../../terminal/table.ts";

const PAGE = 200;

export interface AuditOptions extends ServerOptions {
  readonly limit: number;
  readonly before?: number;
  readonly workspace?: string;
  readonly json?: boolean;
}

/** Prints the newest entries of the audit log, and how to see the ones before. */
export async function showAudit(options: AuditOptions): Promise<void> {
  const { limit, before, workspace, json } = options;
  const { entries, next } = await (await connected(options)).audit({
    limit: Math.min(PAGE, limit),
    ...(before !== undefined && { before }),
    ...(workspace && { workspace }),
  });
  if (json) return printJson({ entries, next });
  if (entries.length === 0) return tell("Nothing was done yet that is noted here");
  const rows = entries.map(({ at, name, action, target, details = {} }) => [
    ...[shownTime(at), oneLine(name, 40), action, oneLine(target, 60)],
    oneLine(
      Object.entries(details)
        .map((pair) => pair.join("="))
        .join(" "),
      100,
    ),
  ]);
  await printText(table(["at", "who", "did", "to", "details"], rows));
  if (next !== undefined) tell(`There are more: --before ${next}`);
}
