import type { Agent } from "@parley/client";
import { allItems } from "../../pages.ts";
import { connect, type PrintOptions, type ServerOptions } from "../../server-address.ts";
import { oneLine } from "../../terminal/plain-text.ts";
import { styled, tell } from "../../terminal/print.ts";
import { printList } from "../../terminal/print-list.ts";

/** Prints all agents and their errors. */
export async function listAgents(options: PrintOptions): Promise<void> {
  const client = await connect(options);
  const agents = await allItems(
    (query) => client.listAgents({ limit: 200, ...query }),
    (page) => page.agents,
  );
  const errors = agents.flatMap(({ name, trouble }) =>
    trouble === undefined ? [] : [`${styled("red", "✗")} ${name}: ${oneLine(trouble, 300)}\n`],
  );
  const head = ["name", "state", "dialect", "skills", "runs", "failures"];
  const empty = "No agents; add one with: parley agents add URL";
  await printList(options, { agents }, { head, rows: agents.map(row), empty, after: errors.join("") });
}

/** Removes, restores, enables or disables an agent. */
export async function changeAgent(
  name: string,
  change: "remove" | "restore" | "enable" | "disable",
  options: ServerOptions,
): Promise<void> {
  const client = await connect(options);
  switch (change) {
    case "remove":
      await client.removeAgent(name);
      return tell(`Removed ${name}; undo with: parley agents restore ${name}`);
    case "restore":
      await client.restoreAgent(name);
      return tell(`Restored ${name}`);
    case "enable":
    case "disable":
      await client.changeAgent(name, { enabled: change === "enable" });
      return tell(change === "enable" ? `Enabled ${name}` : `Disabled ${name}`);
  }
}

function row({ name, state, enabled, negotiated, skills = [], statistics }: Agent): string[] {
  const work = statistics ? [statistics.runs, statistics.delegations] : [];
  const sum = (of: "ended" | "failed") => String(work.reduce((total, one) => total + one[of], 0));
  const shown = enabled ? state : "disabled";
  return [
    oneLine(name, 64),
    shown === "up" ? styled("green", shown) : styled(shown === "down" ? "red" : "dim", shown),
    negotiated ? `${negotiated.dialect} ${negotiated.binding}` : "",
    oneLine(skills.map(({ name: skill }) => skill).join(", "), 50),
    sum("ended"),
    sum("failed"),
  ];
}
