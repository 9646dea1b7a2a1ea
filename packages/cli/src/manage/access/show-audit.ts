import { defined } from "../../defined.ts";
import { connect, type PrintOptions } from "../../server-address.ts";
import { oneLine } from "../../terminal/plain-text.ts";
import { tell } from "../../terminal/print.ts";
import { printList } from "../../terminal/print-list.ts";
import { shownTime } from "../../terminal/shown-time.ts";

const MAX_PAGE = 200;

export interface AuditOptions extends PrintOptions {
  readonly limit: number;
  readonly before?: number;
  readonly workspace?: string;
}

/** Prints the newest entries of the audit log, and how to see older ones. */
export async function showAudit(options: AuditOptions): Promise<void> {
  const { limit, before, workspace } = options;
  const query = { limit: Math.min(MAX_PAGE, limit), ...defined({ before, workspace }) };
  const { entries, next } = await (await connect(options)).audit(query);
  const rows = entries.map(({ at, name, action, target, details = {} }) => {
    const facts = Object.entries(details).map((pair) => pair.join("="));
    return [shownTime(at), oneLine(name, 40), action, oneLine(target, 60), oneLine(facts.join(" "), 100)];
  });
  const head = ["at", "who", "did", "to", "details"];
  await printList(options, { entries, next }, { head, rows, empty: "The audit log is empty" });
  if (!options.json && next !== undefined) tell(`More: --before ${next}`);
}
