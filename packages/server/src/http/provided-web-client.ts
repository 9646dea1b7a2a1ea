import { styleText } from "node:util";
import { type BuildOptions, builtWebClient } from "@parley/web/build";
import { readWebClient, type WebClient } from "./web-client.ts";

type Output = Pick<NodeJS.WriteStream, "write" | "isTTY">;

/** The web client, built first where its sources changed, which is shown; without it all else still serves. */
export async function providedWebClient(
  output: Output,
  errors: Output,
  options: Omit<BuildOptions, "onBuild"> = {},
): Promise<WebClient | undefined> {
  try {
    const onBuild = (done: Promise<void>) => showBuild(done, output);
    return await readWebClient(await builtWebClient({ ...options, onBuild }));
  } catch (error) {
    if (!options.signal?.aborted) errors.write(`${(error as Error).message}\n`);
    return undefined;
  }
}

function showBuild(done: Promise<void>, output: Output): void {
  const started = performance.now();
  const label = "building the web client";
  const ended = (good: boolean) => {
    const mark = good ? styleText("green", "✓") : styleText("red", "✗");
    const seconds = ((performance.now() - started) / 1_000).toFixed(1);
    output.write(`${output.isTTY ? "\r\x1b[K" : ""}${mark} ${label} ${seconds} s\n`);
  };
  output.write(output.isTTY ? `  ${label} …` : `  ${label} …\n`);
  done.then(
    () => ended(true),
    () => ended(false),
  );
}
