import { EXIT } from "../../command-error.ts";
import { connected, type ServerOptions } from "../../server-address.ts";
import { print, printJson } from "../../terminal/print.ts";
import { agentReport, isFaulty } from "./agent-report.ts";
import { isUrl } from "./agent-url.ts";

/** Looks at an agent and prints what was found; the exit code says whether it can be used. */
export async function checkAgent(
  agent: string,
  options: ServerOptions & { readonly json?: boolean },
): Promise<void> {
  const client = await connected(options);
  const found = isUrl(agent) ? await client.checkAgent({ url: agent }) : await client.recheckAgent(agent);
  if (options.json) await printJson(found);
  else await print(agentReport(found.agent));
  if (isFaulty(found.agent)) process.exitCode = EXIT.failed;
}
