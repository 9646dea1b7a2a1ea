import { styleText } from "node:util";
import { type BuildOptions, builtWebClient } from "@parley/web/build";
import { readConfiguration } from "./configuration.ts";
import { readWebClient, type WebClient } from "./http/web-client.ts";
import { startPlatform } from "./platform.ts";
import { platformArguments } from "./platform-arguments.ts";
import { once, runProgram } from "./run-program.ts";
import { agentsReport, startupReport } from "./startup-report.ts";

/** Runs the platform until a signal stops it, and reports what has started. */
export function runPlatform(
  environment: NodeJS.ProcessEnv,
  args: readonly string[] = [],
  web: Pick<BuildOptions, "dist"> = {},
): Promise<never> {
  return runProgram(async (stopping) => {
    // npm runs us in the project folder; paths are relative to the user's folder.
    const given = platformArguments(args, environment.INIT_CWD ?? process.cwd());
    const configuration = await readConfiguration({ ...environment, ...given });
    const webClient = once(() =>
      providedWebClient(process.stdout, process.stderr, { ...web, signal: stopping }),
    );
    const platform = await startPlatform(configuration, { webClient });
    // Built only once the platform has started; earlier requests wait for it.
    await webClient();
    if (stopping.aborted) return platform;
    process.stdout.write(startupReport(configuration, platform.port));
    void platform.agentsStarted.then((agents) =>
      process.stdout.write(agentsReport(agents, configuration.model, platform.port)),
    );
    return platform;
  });
}

type Output = Pick<NodeJS.WriteStream, "write" | "isTTY">;

/** The web client, built first if its sources changed; everything else works without it. */
async function providedWebClient(
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
