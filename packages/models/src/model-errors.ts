/** Why a model cannot answer, in a sentence for a person; one class per cause. */
export class ModelError extends Error {
  /** After how long it may be tried again; undefined means that trying again would not help. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, options: { cause?: unknown; retryAfterMs?: number } = {}) {
    super(message, { cause: options.cause });
    this.retryAfterMs = options.retryAfterMs;
  }

  override get name(): string {
    return this.constructor.name;
  }
}

/** The provider refuses the key, or there is none. */
export class ModelKeyError extends ModelError {}

/** The provider has no such model, or `provider:model` names none that we know. */
export class UnknownModelError extends ModelError {}

/** Too many requests, or the provider is overloaded. */
export class ModelBusyError extends ModelError {}

/** The endpoint cannot be reached, or broke off in mid-turn. */
export class ModelUnreachableError extends ModelError {}

/** The provider answered with something that its own protocol does not have, or refused the request. */
export class ModelAnswerError extends ModelError {}
