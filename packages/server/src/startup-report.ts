import { relative } from "node:path";
import { styleText } from "node:util";
import type { Configuration } from "./configuration.ts";

/** What a person sees when everything is up. */
export function startupReport({ host, dataFolder }: Configuration, port: number): string {
  const folder = relative(process.cwd(), dataFolder) || ".";
  const lines = [
    ["Parley", `http://localhost:${port}   (no login: bound to ${host})`],
    ["journal", `SQLite in ${folder.startsWith("..") ? dataFolder : folder}`],
  ];
  const tick = styleText("green", "✓", { stream: process.stdout });
  return lines.map(([name = "", text]) => `${tick} ${name.padEnd(8)} ${text}\n`).join("");
}
