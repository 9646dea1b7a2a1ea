/** Any failure of the registry; the message says what to do. */
export abstract class RegistryError extends Error {
  abstract readonly code: string;
  override get name(): string {
    return this.constructor.name;
  }
}

/** Nobody listed an agent of this name. */
export class UnknownAgentError extends RegistryError {
  readonly code = "unknown_agent";
  constructor(agent: string, known: readonly string[]) {
    const others = known.length === 0 ? "none is known" : `known are ${known.join(", ")}`;
    super(`There is no agent ${agent} (${others}): use one of these, or list it in agents.json`);
  }
}

/** Not all agents have been looked at once: the one that is meant may be among the others. */
export class AgentsStartingError extends RegistryError {
  readonly code = "agents_starting";
  constructor() {
    super("The agents are just starting: try again in a moment");
  }
}

/** The agent is listed, and cannot be used now. */
export class AgentDownError extends RegistryError {
  readonly code = "agent_down";
  constructor(agent: string, trouble = "it has not answered yet") {
    super(`${agent} cannot be used now (${trouble}): try again later, or use another agent`);
  }
}
