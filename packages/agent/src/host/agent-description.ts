import { type AgentDescription, runExtension } from "@parley/a2a";
import type { AgentDefinition } from "../files/agent-definition.ts";

/** Where an agent is reached and what of it does not work just now. */
export interface AgentPlace {
  readonly url: string;
  readonly push: boolean;
  /** Shown in the card, so that whoever chooses among agents knows. */
  readonly troubles: readonly string[];
}

/** The card of an agent, made from its file. */
export function describeAgent(
  definition: AgentDefinition,
  { url, push, troubles }: AgentPlace,
): AgentDescription {
  const { name, description, version, skills, mcpServers } = definition;
  const status = troubles.length === 0 ? {} : { params: { unavailable: [...troubles] } };
  return {
    name,
    description,
    version,
    interfaces: [
      { url: `${url}/`, binding: "JSONRPC", dialects: ["1.0", "0.3", "0.1"] },
      { url: `${url}/a2a/rest`, binding: "HTTP+JSON", dialects: ["1.0", "0.3"] },
    ],
    capabilities: { streaming: true, pushNotifications: push, extensions: [{ ...runExtension, ...status }] },
    defaultInputModes: ["text/plain", "text/markdown", "text/csv", "application/json"],
    // Tools make files of any type.
    defaultOutputModes: Object.keys(mcpServers).length > 0 ? ["text/plain", "*/*"] : ["text/plain"],
    skills: skills.length > 0 ? skills.map((skill) => ({ ...skill })) : [generalSkill(definition)],
  };
}

function generalSkill({ name, description }: AgentDefinition) {
  return { id: name, name, description, tags: [name] };
}
