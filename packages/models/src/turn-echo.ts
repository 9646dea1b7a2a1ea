import type {
  LanguageModelV4Message,
  LanguageModelV4StreamPart,
  SharedV4ProviderMetadata,
} from "@ai-sdk/provider";
import type { ModelMessage, TurnEcho } from "./model.ts";

/** What an assistant message holds, in the providers' common form. */
export type AssistantContent = Extract<LanguageModelV4Message, { role: "assistant" }>["content"];

interface Marked {
  providerOptions?: SharedV4ProviderMetadata;
}

interface Block extends Marked {
  readonly type: "text" | "reasoning";
  text: string;
}

/**
 * Gathers a turn while it streams, with the marks that its provider puts on thinking and calls (signatures, encrypted
 * items): without them the provider refuses the turn when it comes back with tool results.
 */
export class EchoRecorder {
  readonly #content: (Block | Extract<AssistantContent[number], { type: "tool-call" }>)[] = [];
  readonly #open = new Map<string, Block>();
  #marked = false;

  add(part: LanguageModelV4StreamPart): void {
    switch (part.type) {
      case "text-start":
      case "reasoning-start": {
        const block: Block = { type: part.type === "text-start" ? "text" : "reasoning", text: "" };
        this.#open.set(part.id, block);
        this.#content.push(block);
        this.#mark(block, part.providerMetadata);
        return;
      }
      case "text-delta":
      case "reasoning-delta":
      case "text-end":
      case "reasoning-end": {
        const block = this.#open.get(part.id);
        if (block === undefined) return;
        if ("delta" in part) block.text += part.delta;
        this.#mark(block, part.providerMetadata);
        return;
      }
      case "tool-call": {
        const call: Extract<AssistantContent[number], { type: "tool-call" }> = {
          type: "tool-call",
          toolCallId: part.toolCallId,
          toolName: part.toolName,
          input: undefined,
        };
        this.#content.push(call);
        this.#mark(call, part.providerMetadata);
        return;
      }
    }
  }

  /** Undefined where the provider put no mark: then text and calls say everything. */
  echo(provider: string): TurnEcho | undefined {
    return this.#marked ? { provider, content: this.#content } : undefined;
  }

  #mark(block: Marked, mark?: SharedV4ProviderMetadata): void {
    if (mark === undefined) return;
    this.#marked = true;
    block.providerOptions = { ...block.providerOptions, ...mark };
  }
}

/** The content that this provider gave in this message's turn, or undefined where it is not this provider's. */
export function echoedContent(
  message: Extract<ModelMessage, { role: "assistant" }>,
  provider: string,
): AssistantContent | undefined {
  if (message.echo?.provider !== provider) return undefined;
  const content = message.echo.content as AssistantContent;
  const ids = content.flatMap((part) => (part.type === "tool-call" ? [part.toolCallId] : []));
  const same = ids.length === message.calls.length && message.calls.every((call) => ids.includes(call.id));
  return same ? content : undefined;
}
