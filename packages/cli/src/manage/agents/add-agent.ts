import type { ApiClient, NewAgent } from "@parley/client";
import { CommandError, EXIT } from "../../command-error.ts";
import { connected, type ServerOptions } from "../../server-address.ts";
import { confirmed } from "../../terminal/confirmed.ts";
import { print, printJson, tell } from "../../terminal/print.ts";
import { agentReport, isFaulty } from "./agent-report.ts";
import { agentUrl } from "./agent-url.ts";
import { credentialsFrom } from "./credentials.ts";

export interface AddOptions extends ServerOptions {
  readonly name?: string;
  readonly auth?: readonly string[];
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** Adds an agent after a look at it; what is wrong with it must be confirmed. */
export async function addAgent(url: string, options: AddOptions): Promise<void> {
  const { name, yes = false, json = false } = options;
  const client = await connected(options);
  const wanted = await withCredentials(
    client,
    { url: agentUrl(url), ...(name !== undefined && { name }) },
    options.auth ?? [],
  );
  const { agent } = await client.checkAgent(wanted);
  if (isFaulty(agent) && !yes) {
    process.stderr.write(agentReport(agent));
    if (!(await confirmed("Add it all the same?")))
      throw new CommandError("It was not added: mend what was found, or add it all the same with --yes");
  }
  const added = (await client.addAgent(wanted)).agent;
  if (json) return printJson({ agent: added });
  await print(agentReport(added));
  tell(`Added: parley agents remove ${added.name} takes it out again`);
}

async function withCredentials(
  client: ApiClient,
  wanted: NewAgent,
  auth: readonly string[],
): Promise<NewAgent> {
  if (auth.length === 0) return wanted;
  // Which kind of credential a scheme takes is in the card alone.
  const { agent } = await client.checkAgent(wanted);
  if (!agent.schemes)
    throw new CommandError(
      agent.trouble ?? "The agent's card has no security schemes: leave --auth out",
      agent.trouble ? EXIT.failed : EXIT.usage,
    );
  return { ...wanted, credentials: credentialsFrom(auth, agent.schemes) };
}
