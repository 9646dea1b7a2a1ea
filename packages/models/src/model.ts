/** A tool as it is described to a model; its arguments have a JSON Schema. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

export interface ToolCall {
  readonly id: string;
  readonly tool: string;
  /** Parsed; undefined where what the model wrote is not JSON, which `text` then shows. */
  readonly arguments: Readonly<Record<string, unknown>> | undefined;
  readonly text: string;
}

/** What came of a call, in words for the model. */
export interface ToolOutcome {
  readonly id: string;
  readonly tool: string;
  readonly failed: boolean;
  readonly text: string;
}

/** A turn as its provider wants to see it again, unread by us: JSON, and of use to the same provider alone. */
export interface TurnEcho {
  readonly provider: string;
  readonly content: readonly unknown[];
}

export type ModelMessage =
  | { readonly role: "user"; readonly text: string }
  | {
      readonly role: "assistant";
      readonly text: string;
      readonly calls: readonly ToolCall[];
      /** What the turn's `end` gave, as it was: providers refuse their own thinking without its signature. */
      readonly echo?: TurnEcho;
    }
  | { readonly role: "tool"; readonly outcomes: readonly ToolOutcome[] };

/** What a model is asked for: one turn. */
export interface ModelRequest {
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolDefinition[];
  readonly maxOutputTokens?: number;
  /** Whether thinking is wanted, from models that show it. */
  readonly thinking?: boolean;
}

/** The usage of a turn, as far as the provider reports it. */
export interface ModelUsage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly reasoningTokens?: number;
  readonly cachedInputTokens?: number;
  readonly cost?: number;
}

export type EndOfTurn = "stop" | "tool-calls" | "length" | "content-filter" | "other";

/** The events of a model's turn as it streams; `end` comes last, and exactly once. */
export type ModelEvent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  /** A piece of a call's arguments while they are written, where the provider shows it; the whole call follows. */
  | { readonly type: "tool-input"; readonly id: string; readonly tool: string; readonly text: string }
  | { readonly type: "tool-call"; readonly call: ToolCall }
  | {
      readonly type: "end";
      readonly reason: EndOfTurn;
      readonly usage: ModelUsage;
      /** Goes into the assistant message that keeps this turn. */
      readonly echo?: TurnEcho;
    };

/** Something that takes turns in a conversation; what goes wrong is thrown as a `ModelError`, an abort as the signal's reason. */
export interface Model {
  /** `provider:model`. */
  readonly name: string;
  turn(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

/** The prefix of a line in a tool's outcome that names a file for the model. */
export const GIVEN_AS_FILE = "[given to the user as a file: ";
