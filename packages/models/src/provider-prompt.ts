import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { ModelMessage, ModelRequest, ToolCall, ToolDefinition } from "./model.ts";
import { type AssistantContent, echoedContent } from "./turn-echo.ts";

/** The prefix of a failed call's text where the protocol has no error flag. */
export const FAILED = "The call failed: ";

/** What differs between providers in how a turn is asked for. */
export interface PromptStyle {
  readonly provider: string;
  readonly always?: SharedV4ProviderOptions;
  readonly whenThinking?: SharedV4ProviderOptions;
  /** Put on the system prompt and on the newest message, up to which the provider may cache. */
  readonly cacheMark?: SharedV4ProviderOptions;
  /** The provider's protocol has an error flag for failed calls; elsewhere the text must say so. */
  readonly tellsFailures?: boolean;
  /** The provider refuses to think on in a turn whose earlier thinking it is not shown. */
  readonly thinksOnlyWithEcho?: boolean;
}

/** Turns a request into what the providers' packages take; half a character, which they refuse, is replaced. */
export function providerPrompt(
  request: ModelRequest,
  style: PromptStyle,
  signal: AbortSignal,
): LanguageModelV4CallOptions {
  const thinking = request.thinking === true && mayThink(request.messages, style);
  const { tools, maxOutputTokens } = request;
  return {
    prompt: promptMessages(request, style),
    abortSignal: signal,
    ...(tools.length > 0 && { tools: tools.map(functionTool), toolChoice: { type: "auto" } }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(thinking && { reasoning: "medium" }),
    providerOptions: { ...style.always, ...(thinking && style.whenThinking) },
  };
}

function promptMessages(request: ModelRequest, style: PromptStyle): LanguageModelV4Message[] {
  const messages = request.messages.map((message) => promptMessage(message, style));
  if (request.system !== "") messages.unshift({ role: "system", content: request.system.toWellFormed() });
  const { cacheMark } = style;
  if (cacheMark === undefined) return messages;
  return messages.map((message, index) =>
    message.role === "system" || index === messages.length - 1
      ? { ...message, providerOptions: cacheMark }
      : message,
  );
}

function promptMessage(message: ModelMessage, style: PromptStyle): LanguageModelV4Message {
  switch (message.role) {
    case "user":
      return { role: "user", content: [{ type: "text", text: message.text.toWellFormed() }] };
    case "assistant":
      return { role: "assistant", content: assistantContent(message, style.provider) };
    case "tool":
      return {
        role: "tool",
        content: message.outcomes.map(({ id, tool, failed, text }) => ({
          type: "tool-result",
          toolCallId: id,
          toolName: tool,
          output: {
            type: failed ? "error-text" : "text",
            value: (failed && style.tellsFailures !== true ? `${FAILED}${text}` : text).toWellFormed(),
          },
        })),
      };
  }
}

function assistantContent(
  message: Extract<ModelMessage, { role: "assistant" }>,
  provider: string,
): AssistantContent {
  const calls = new Map(message.calls.map((call) => [call.id, callPart(call)]));
  const echoed = echoedContent(message, provider);
  if (echoed === undefined) {
    return [
      ...(message.text === "" ? [] : [{ type: "text" as const, text: message.text.toWellFormed() }]),
      ...calls.values(),
    ];
  }
  return echoed.map((part) =>
    part.type === "tool-call" ? { ...part, input: calls.get(part.toolCallId)?.input } : part,
  );
}

function callPart(call: ToolCall): Extract<AssistantContent[number], { type: "tool-call" }> {
  // Providers take objects alone, and the model should see what it wrote.
  const input = call.arguments ?? { unparsed: call.text };
  return { type: "tool-call", toolCallId: call.id, toolName: call.tool, input };
}

function functionTool({ name, description, inputSchema }: ToolDefinition) {
  return { type: "function" as const, name, description: description.toWellFormed(), inputSchema };
}

function mayThink(messages: readonly ModelMessage[], style: PromptStyle): boolean {
  if (style.thinksOnlyWithEcho !== true) return true;
  const sinceUser = messages.slice(messages.findLastIndex(({ role }) => role === "user") + 1);
  return sinceUser.every(
    (message) => message.role !== "assistant" || echoedContent(message, style.provider) !== undefined,
  );
}
