import { relative } from "node:path";
import { styleText } from "node:util";
import type { AgentStatus } from "./agents/agent-servers.ts";
import type { Configuration } from "./configuration.ts";

const OUT = { stream: process.stdout };

/** What a person sees when the agents are up, or not. */
export function agentsReport(agents: readonly AgentStatus[], model: string): string {
  const lines = agents.map(({ name, url = "", state, troubles }) => {
    const good = state === "up" && troubles.length === 0;
    const mark = good ? styleText("green", "✓", OUT) : styleText("red", "✗", OUT);
    return `${mark} ${name.padEnd(10)} ${[url, ...troubles].filter(Boolean).join("   ")}\n`;
  });
  return `${lines.join("")}  model      ${model}\n`;
}

/** What a person sees when the main port is open. */
export function startupReport({ host, dataFolder }: Configuration, port: number): string {
  const folder = relative(process.cwd(), dataFolder) || ".";
  const lines = [
    ["Parley", `http://localhost:${port}   (no login: bound to ${host})`],
    ["journal", `SQLite in ${folder.startsWith("..") ? dataFolder : folder}`],
  ];
  const tick = styleText("green", "✓", OUT);
  return lines.map(([name = "", text]) => `${tick} ${name.padEnd(10)} ${text}\n`).join("");
}
