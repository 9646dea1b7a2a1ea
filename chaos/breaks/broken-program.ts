// `node chaos/breaks/broken-program.ts BREAK PROGRAM [ARGUMENT …]`: a program of Parley's with modules wrapped, so that it is
// broken in this way. The product knows nothing of it.
import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";
import type { Break } from "../schedule/directed-faults.ts";

const STORE = "journal/src/postgres/postgres-store.ts";
/** For each break: the wrapped modules and their wrappers. */
const WRAPPED: Readonly<Record<Break, Readonly<Record<string, string>>>> = {
  "deliver-before-commit": { [STORE]: "early-store.ts", "journal/src/follow/tails.ts": "early-tails.ts" },
  "ignore-epoch": { [STORE]: "unfenced-store.ts" },
  "rerun-finished-tool": { "agent/src/loop/agent-loop.ts": "forgetful-loop.ts" },
};

const [, , broken = "", program = "", ...args] = process.argv;
const wrappers = new Map(
  Object.entries(WRAPPED[broken as Break]).map(([module, wrapper]) => [
    new URL(`../../packages/${module}`, import.meta.url).href,
    new URL(wrapper, import.meta.url).href,
  ]),
);
registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    const wrapper = wrappers.get(found.url);
    // The wrapper itself imports the original module.
    return wrapper === undefined || wrapper === context.parentURL ? found : { ...found, url: wrapper };
  },
});
process.argv.splice(1, Infinity, program, ...args);
await import(pathToFileURL(program).href);
