import { relative } from "node:path";
import { styleText } from "node:util";
import { problemText } from "@parley/agent";
import { SUPERVISOR } from "@parley/registry";
import type { AgentStatus } from "./agents/agent-server.ts";
import type { AgentsStatus } from "./agents/watched-agents.ts";
import type { Configuration } from "./configuration.ts";
import { databasePlace } from "./data-place.ts";

const OUT = { stream: process.stdout };
const WIDTH = 10;
const DIALECTS = "A2A 1.0, 0.3, 0.1";
const OFFLINE =
  "offline (keyword planner). Set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY for a real one";
const USUAL_PORT = 8_000;

type Agents = Omit<AgentsStatus, "started">;

/** Printed when the main port is open. */
export function startupReport(configuration: Configuration, port: number): string {
  const { dataFolder, databaseUrl } = configuration;
  const folder = relative(process.cwd(), dataFolder) || ".";
  const sqlite = `SQLite in ${folder.startsWith("..") ? dataFolder : folder}`;
  return [
    line(mark(true), "Parley", `http://localhost:${port}   (${accessText(configuration)})`),
    line(mark(true), "journal", databaseUrl ? `Postgres in ${databasePlace(databaseUrl)}` : sqlite),
  ].join("");
}

function accessText({ host, admission: { isRequired, isInsecure } }: Configuration): string {
  if (isInsecure) return `INSECURE: no authentication, bound to ${host}`;
  if (!isRequired) return `no login: bound to ${host}`;
  return `API keys: bound to ${host}; create one with "parley keys create NAME"`;
}

/** Printed when the agents have started: healthy ones on one line, each other on its own. */
export function agentsReport({ agents, problems }: Agents, model: string, port: number): string {
  const elsewhere = port === USUAL_PORT ? "" : ` --server http://localhost:${port}`;
  const healthy = agents.filter(isHealthy);
  const places = healthy.map(({ name, url = "" }) => `${name} :${new URL(url).port}`);
  const tools = healthy.flatMap(({ name, mcpServers }) => {
    const count = mcpServers.flatMap((server) => server.tools).length;
    return count > 0 ? [`${count} ${name}`] : [];
  });
  return [
    line(mark(true), "agents", `${[`${SUPERVISOR} :${port}`, ...places].join(" · ")}   ${DIALECTS}`),
    tools.length > 0 ? line(mark(true), "tools", tools.join(" · ")) : "",
    troubleLines({ agents, problems }),
    line(" ", "model", model === "offline" ? OFFLINE : model),
    line(" ", "try", `npm run parley -- chat "show argocd version"${elsewhere}`),
  ].join("");
}

/** Printed when a single agent has started. */
export function soleAgentReport({ agents, problems }: Agents, model: string): string {
  const healthy = agents.filter(isHealthy).map(({ name, url = "" }) => line(mark(true), name, url));
  return `${healthy.join("")}${troubleLines({ agents, problems })}${line(" ", "model", model)}`;
}

function troubleLines({ agents, problems }: Agents): string {
  const troubled = agents
    .filter((agent) => !isHealthy(agent))
    .map(({ name, url = "", troubles }) =>
      line(mark(false), name, [url, ...troubles].filter(Boolean).join("   ")),
    );
  return [...troubled, ...problems.map((problem) => `${mark(false)} ${problemText(problem)}\n`)].join("");
}

function isHealthy({ state, troubles }: AgentStatus): boolean {
  return state === "up" && troubles.length === 0;
}

function line(sign: string, name: string, text: string): string {
  return `${sign} ${name.padEnd(WIDTH)} ${text}\n`;
}

function mark(good: boolean): string {
  return good ? styleText("green", "✓", OUT) : styleText("red", "✗", OUT);
}
