import { DEFAULT_LIMITS, type LoopLimits } from "@parley/agent";
import type { Journal } from "@parley/journal";
import { type Environment, ModelError, openModel, providerStandings } from "@parley/models";
import { SUPERVISOR_LIMITS } from "@parley/supervisor";
import type { AgentStatus } from "../agents/agent-server.ts";
import type { ModelTest, PlatformSettings } from "../api/schemas/settings-schemas.ts";

const TEST_MS = 20_000;
const TEST_TOKENS = 64;
const MAX_TEXT_LENGTH = 200;
const HOW_TO_CHANGE =
  "Set keys and PARLEY_MODEL in the environment or in .env, then restart the platform. Changes to agent files and mcp.json take effect at once. The API sets a conversation's budget as `config.budget`.";

export interface OwnSettingsOptions {
  readonly version: string;
  readonly journal: Journal;
  readonly environment: Environment;
  readonly model: string;
  agents(): readonly AgentStatus[];
}

/** The settings of this process, as the API shows them. */
export class OwnSettings {
  readonly #options: OwnSettingsOptions;

  constructor(options: OwnSettingsOptions) {
    this.#options = options;
  }

  async read(): Promise<PlatformSettings> {
    const { version, journal, environment, model, agents } = this.#options;
    const trouble = this.#errorOf(model);
    return {
      version,
      database: journal.database.dialect,
      model: { name: model, ...(trouble !== undefined && { trouble }) },
      providers: providerStandings(environment).map((one) => ({
        ...one,
        keyVariables: [...one.keyVariables],
      })),
      agents: agents().map(shownAgent),
      limits: { supervisor: shownLimits(SUPERVISOR_LIMITS), agents: shownLimits(DEFAULT_LIMITS) },
      howToChange: HOW_TO_CHANGE,
    };
  }

  /** Sends a short request to a model, by default the one in use; failures of the model are part of the result. */
  async testModel(name = this.#options.model): Promise<ModelTest> {
    const began = performance.now();
    const latency = () => Math.round(performance.now() - began);
    try {
      const text = await this.#request(name);
      return { model: name, ok: true, latencyMs: latency(), text: text.slice(0, MAX_TEXT_LENGTH) };
    } catch (error) {
      return { model: name, ok: false, latencyMs: latency(), error: errorText(error) };
    }
  }

  async #request(name: string): Promise<string> {
    const model = openModel(name, { environment: this.#options.environment });
    const messages = [{ role: "user" as const, text: "Say: ready" }];
    const request = { system: "Answer with one word.", messages, tools: [], maxOutputTokens: TEST_TOKENS };
    let text = "";
    for await (const event of model.turn(request, AbortSignal.timeout(TEST_MS)))
      if (event.type === "text") text += event.text;
    return text;
  }

  #errorOf(model: string): string | undefined {
    try {
      openModel(model, { environment: this.#options.environment });
      return undefined;
    } catch (error) {
      if (error instanceof ModelError) return error.message;
      throw error;
    }
  }
}

/** Only our own messages are shown: others may contain secrets. */
function errorText(error: unknown): string {
  if (error instanceof ModelError) return error.message;
  if (error instanceof DOMException && error.name === "TimeoutError")
    return `The model did not answer within ${TEST_MS / 1_000} s; retry, or choose another`;
  throw error;
}

function shownAgent({
  name,
  state,
  model,
  troubles,
  mcpServers,
}: AgentStatus): PlatformSettings["agents"][number] {
  const servers = mcpServers.map(({ server, state: { phase, ...about }, tools }) => ({
    ...{ server, state: phase, tools: [...tools] },
    ...("reason" in about && { reason: about.reason }),
  }));
  return { name, state, model, troubles: [...troubles], mcpServers: servers };
}

function shownLimits({ steps, seconds, tokens, parallel }: LoopLimits): PlatformSettings["limits"]["agents"] {
  return { steps, seconds, tokens, parallel };
}
