import { readFile } from "node:fs/promises";
import { parseEnv } from "node:util";
import type { Environment } from "./open-model.ts";

/** The environment with what a `.env` file adds to it; what is set already stays, and no file is no error. */
export async function withEnvironmentFile(environment: Environment, path: string): Promise<Environment> {
  const set = Object.entries(environment).filter(([, value]) => value !== undefined && value !== "");
  return { ...parseEnv(await textOf(path)), ...Object.fromEntries(set) };
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}
