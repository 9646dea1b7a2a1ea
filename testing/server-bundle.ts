import { rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import { SERVER_SOURCE } from "./server-program.ts";

/**
 * Bundles the platform, so that each of the hundreds of servers that tests start takes half the processor time: most
 * of it goes into finding and linking 1,500 modules. Returns the way to remove it.
 */
export async function bundleServer(): Promise<() => Promise<void>> {
  const folder = resolve(import.meta.dirname, "../node_modules/.cache", `server-${process.pid}`);
  const bundle = await rolldown({
    input: SERVER_SOURCE,
    platform: "node",
    // What is there only for some databases and providers is imported when it is needed.
    external: [/^node:/, "pg-native"],
    plugins: [{ name: "own-place", transform: (code, id) => inItsOwnPlace(code, id) }],
    logLevel: "warn",
  });
  await bundle.write({ dir: folder, format: "esm" });
  process.env.PARLEY_SERVER_BUNDLE = join(folder, "main.js");
  return () => rm(folder, { recursive: true, force: true });
}

/** A module that looks for files beside itself finds them where its source is. */
function inItsOwnPlace(code: string, id: string): string | undefined {
  if (!code.includes("import.meta.")) return undefined;
  return code
    .replaceAll("import.meta.dirname", JSON.stringify(dirname(id)))
    .replaceAll("import.meta.filename", JSON.stringify(id))
    .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href));
}
