import { readConfiguration } from "./configuration.ts";
import { providedWebClient } from "./http/provided-web-client.ts";
import { once } from "./once.ts";
import { startPlatform } from "./platform.ts";
import { runProgram } from "./run-program.ts";
import { agentsReport, startupReport } from "./startup-report.ts";

/** The whole platform as a program: says what it is up to, and ends with a signal. */
export function runPlatform(environment: NodeJS.ProcessEnv): Promise<never> {
  return runProgram(async () => {
    const configuration = await readConfiguration(environment);
    const webClient = once(() => providedWebClient(process.stdout, process.stderr));
    const platform = await startPlatform(configuration, { webClient });
    // Only now: what cannot start need not be built for. Who is quicker than the build waits for it.
    await webClient();
    process.stdout.write(startupReport(configuration, platform.port));
    void platform.agentsStarted.then((agents) =>
      process.stdout.write(agentsReport(agents, configuration.model, platform.port)),
    );
    return platform;
  });
}
