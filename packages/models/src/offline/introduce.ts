import type { ToolDefinition } from "../model.ts";
import { takesRequests } from "./whole-request.ts";
import { firstSentence } from "./word-answer.ts";
import { spokenName } from "./word-value.ts";

const MOST_TOOLS = 12;
const GREETING = /^\s*(?:hi|hello|hey|good (?:morning|afternoon|evening|day)|greetings)\b/i;
const ABOUT_ITSELF = /\b(?:who|what) are you\b|\bhelp\b|\bwhat can you do\b/i;

/** Says what this model is and what it can do here, for requests that no tool fits. */
export function introduce(request: string, tools: readonly ToolDefinition[]): string {
  const doers = tools.length > 0 && tools.every(takesRequests) ? "agent" : "tool";
  const opening = GREETING.test(request)
    ? "Hello! "
    : ABOUT_ITSELF.test(request)
      ? ""
      : `I have no ${doers} that fits this request. `;
  const itself = `I am Parley's built-in offline model: I match requests to ${doers}s by their words and report what the ${doers}s say, and I know nothing beyond that.`;
  return `${opening}${itself}\n\n${abilities(tools)}\n\n${connecting}`;
}

const connecting =
  "For answers from a language model, set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY, or OPENAI_COMPATIBLE_BASE_URL for a server of your own, and start again.";

function abilities(tools: readonly ToolDefinition[]): string {
  if (tools.length === 0) return "There are no tools here, so there is nothing that I can do.";
  const shown = tools.slice(0, MOST_TOOLS).map(({ name, description }) => {
    const about = firstSentence(description);
    return about === "" ? `- **${spokenName(name)}**` : `- **${spokenName(name)}**: ${about}`;
  });
  const rest = tools.length > shown.length ? [`- … and ${tools.length - shown.length} more`] : [];
  return ["What I can do here:", ...shown, ...rest].join("\n");
}
