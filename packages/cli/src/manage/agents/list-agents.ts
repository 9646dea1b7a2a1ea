import type { Agent, ApiClient } from "@parley/client";
import { connected, type ServerOptions } from "../../server-address.ts";
import { oneLine } from "../../terminal/plain-text.ts";
import { printJson, printText, styled } from "../../terminal/print.ts";
import { table } from "../../terminal/table.ts";

const HEAD = ["name", "state", "dialect", "skills", "runs", "failures"];

/** Prints all agents, and what is wrong with them. */
export async function listAgents(options: ServerOptions & { readonly json?: boolean }): Promise<void> {
  const agents = await allAgents(await connected(options));
  if (options.json) return printJson({ agents });
  const troubles = agents.flatMap(({ name, trouble }) =>
    trouble === undefined ? [] : [`${styled("red", "✗")} ${name}: ${oneLine(trouble, 300)}\n`],
  );
  await printText(`${table(HEAD, agents.map(row))}${troubles.join("")}`);
}

async function allAgents(client: ApiClient): Promise<Agent[]> {
  const agents: Agent[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await client.listAgents({ limit: 200, ...(cursor !== undefined && { cursor }) });
    agents.push(...page.agents);
    if (page.next === null) return agents;
    cursor = page.next;
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
