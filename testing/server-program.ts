import { resolve } from "node:path";

/** The platform as users start it. */
export const SERVER_SOURCE = resolve(import.meta.dirname, "../packages/server/src/main.ts");

/** The platform as tests start it: from this run's bundle, or from the sources where there is none. */
export const SERVER_PROGRAM = process.env.PARLEY_SERVER_BUNDLE ?? SERVER_SOURCE;
