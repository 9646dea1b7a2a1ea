import type { TestProject } from "vitest/node";
import { COMPILED } from "./bare-environment.ts";
import { startPostgres } from "./postgres-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The server of this run: `freshDatabase(inject("postgresUrl"))`. */
    postgresUrl: string;
  }
}

/** Gives every test of the run one Postgres, and stops it after the last; and all processes one cache of what was compiled. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Workers are started after this, and what they start has it from them.
  process.env.NODE_COMPILE_CACHE = COMPILED;
  const server = await startPostgres();
  project.provide("postgresUrl", server.url);
  return server.stop;
}
