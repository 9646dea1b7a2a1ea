// npm run agent -- FILE [--port N] [--data FOLDER]: one agent alone, in a process of its own.
import { agentArguments, agentConfiguration } from "./agent-configuration.ts";
import { readConfiguration } from "./configuration.ts";
import { runProgram } from "./run-program.ts";
import { startSoleAgent } from "./sole-agent.ts";
import { agentsReport } from "./startup-report.ts";

await runProgram(async () => {
  // npm runs us in the project's folder; what the user wrote is meant from where the user is.
  const from = process.env.INIT_CWD ?? process.cwd();
  const given = agentArguments(process.argv.slice(2), from);
  const configuration = agentConfiguration(await readConfiguration(process.env), given);
  const agent = await startSoleAgent(configuration, given);
  process.stdout.write(agentsReport(agent.status, configuration.model));
  return agent;
});
