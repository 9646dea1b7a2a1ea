import type { TestProject } from "vitest/node";
import { COMPILED } from "./bare-environment.ts";
import { startPostgres } from "./postgres-server.ts";
import { bundleServer } from "./server-bundle.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The server of this run: `freshDatabase(inject("postgresUrl"))`. */
    postgresUrl: string;
  }
}

/** Gives all tests of a run one Postgres, one bundle of the platform and one cache of compiled code. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Workers are started after this, and what they start has it from them.
  process.env.NODE_COMPILE_CACHE = COMPILED;
  const [server, removeBundle] = await Promise.all([startPostgres(), bundleServer()]);
  project.provide("postgresUrl", server.url);
  return async () => {
    await Promise.all([server.stop(), removeBundle()]);
  };
}
