import { agentArguments, agentConfiguration } from "./agent-configuration.ts";
import { readConfiguration } from "./configuration.ts";
import { runProgram } from "./run-program.ts";
import { startSoleAgent } from "./sole-agent.ts";
import { soleAgentReport } from "./startup-report.ts";

/** Runs one agent: `FILE [--port N] [--data FOLDER]`. */
export function runSoleAgent(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<never> {
  return runProgram(async () => {
    // npm runs us in the project folder; paths are relative to the user's folder.
    const given = agentArguments(args, environment.INIT_CWD ?? process.cwd());
    const configuration = agentConfiguration(await readConfiguration(environment), given);
    const agent = await startSoleAgent(configuration, given);
    process.stdout.write(soleAgentReport(agent.status, configuration.model));
    return agent;
  });
}
