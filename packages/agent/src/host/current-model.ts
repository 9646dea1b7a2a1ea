import type { Model } from "@parley/models";
import { ModelError, openModel, retrying } from "@parley/models";
import type { AgentPlatform } from "./agent-service.ts";

/** The model that an agent's file names now, opened once. */
export class CurrentModel {
  readonly #agent: string;
  readonly #platform: Pick<AgentPlatform, "environment" | "log" | "model">;
  #name: string | undefined;
  #model: Model | undefined;

  constructor(agent: string, platform: Pick<AgentPlatform, "environment" | "log" | "model">) {
    this.#agent = agent;
    this.#platform = platform;
  }

  /** Opens it, or the platform's where none is named; throws a `ModelError` when it cannot be used. */
  open(name = this.#platform.model): Model {
    if (!this.#model || this.#name !== name) {
      this.#model = this.#opened(name);
      this.#name = name;
    }
    return this.#model;
  }

  troubles(name: string | undefined): readonly string[] {
    try {
      this.open(name);
      return [];
    } catch (error) {
      if (error instanceof ModelError) return [error.message];
      throw error;
    }
  }

  #opened(name: string): Model {
    const { environment, log } = this.#platform;
    const about = { agent: this.#agent, model: name };
    const onWarning = (warning: string) => log.warn({ ...about, warning }, "model warns");
    const onRetry = (error: Error) => log.warn({ ...about, err: error }, "model is tried again");
    return retrying(openModel(name, { environment, onWarning }), { onRetry });
  }
}
