import type { TestProject } from "vitest/node";
import { startPostgres } from "./postgres-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The server of this run: `freshDatabase(inject("postgresUrl"))`. */
    postgresUrl: string;
  }
}

/** Gives every test of the run one Postgres, and stops it after the last. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres();
  project.provide("postgresUrl", server.url);
  return server.stop;
}
