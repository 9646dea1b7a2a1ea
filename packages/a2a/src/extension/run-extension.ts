import type { AgentExtension } from "../cards/agent-card.ts";

/** The one extension that we declare: what A2A has no field for travels under this name. */
export const RUN_EXTENSION = "urn:parley:ext:run:1";

/** How a card declares it; nobody has to speak it. */
export const runExtension: AgentExtension = {
  uri: RUN_EXTENSION,
  description: "Sessions, tool calls, provenance, budgets, plans, approvals and usage of a run",
  required: false,
};
