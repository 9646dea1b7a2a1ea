import { relative } from "node:path";
import { styleText } from "node:util";
import { problemText } from "@parley/agent";
import type { AgentsStatus } from "./agents/watched-agents.ts";
import type { Configuration } from "./configuration.ts";
import { databasePlace } from "./database-url.ts";

const OUT = { stream: process.stdout };

/** What a person sees when the agents are up, or not. */
export function agentsReport({ agents, problems }: Omit<AgentsStatus, "started">, model: string): string {
  const width = Math.max(10, ...agents.map(({ name }) => name.length));
  const lines = agents.map(({ name, url = "", state, troubles }) => {
    const good = state === "up" && troubles.length === 0;
    return `${mark(good)} ${name.padEnd(width)} ${[url, ...troubles].filter(Boolean).join("   ")}\n`;
  });
  const wrong = problems.map((problem) => `${mark(false)} ${problemText(problem)}\n`);
  return `${lines.join("")}${wrong.join("")}  ${"model".padEnd(width)} ${model}\n`;
}

/** What a person sees when the main port is open. */
export function startupReport({ host, dataFolder, databaseUrl }: Configuration, port: number): string {
  const folder = relative(process.cwd(), dataFolder) || ".";
  const sqlite = `SQLite in ${folder.startsWith("..") ? dataFolder : folder}`;
  const lines = [
    ["Parley", `http://localhost:${port}   (no login: bound to ${host})`],
    ["journal", databaseUrl ? `Postgres in ${databasePlace(databaseUrl)}` : sqlite],
  ];
  return lines.map(([name = "", text]) => `${mark(true)} ${name.padEnd(10)} ${text}\n`).join("");
}

function mark(good: boolean): string {
  return good ? styleText("green", "✓", OUT) : styleText("red", "✗", OUT);
}
