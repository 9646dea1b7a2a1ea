import { join } from "node:path";

/**
 * Where Node keeps what it compiled of our sources, for all processes of a run and of those after it: each but the
 * first starts in about half the time. It is known by what is in a file, so it is never out of date.
 */
export const COMPILED =
  process.env.NODE_COMPILE_CACHE ?? join(import.meta.dirname, "../node_modules/.cache/compiled");

/** The environment of a program that is to see nothing of the tests': where programs are, and what speeds it up. */
export function bareEnvironment(): {
  readonly PATH: string | undefined;
  readonly NODE_COMPILE_CACHE: string;
} {
  return { PATH: process.env.PATH, NODE_COMPILE_CACHE: COMPILED };
}
