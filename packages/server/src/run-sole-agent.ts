import { agentArguments, agentConfiguration } from "./agent-configuration.ts";
import { readConfiguration } from "./configuration.ts";
import { runProgram } from "./run-program.ts";
import { startSoleAgent } from "./sole-agent.ts";
import { soleAgentReport } from "./startup-report.ts";

/** One agent alone as a program: `FILE [--port N] [--data FOLDER]`. */
export function runSoleAgent(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<never> {
  return runProgram(async () => {
    // npm runs us in the project's folder; what the user wrote is meant from where the user is.
    const given = agentArguments(args, environment.INIT_CWD ?? process.cwd());
    const configuration = agentConfiguration(await readConfiguration(environment), given);
    const agent = await startSoleAgent(configuration, given);
    process.stdout.write(soleAgentReport(agent.status, configuration.model));
    return agent;
  });
}
