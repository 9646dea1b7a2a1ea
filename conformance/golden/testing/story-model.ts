import { text } from "node:stream/consumers";
import { listening } from "../../peers/peer-server.ts";

/** The model's answer to a request for a story. */
export const STORY = "Once upon a time a harbour kept its lamp lit for every ship. The end.";
/** Who asks for it with this word waits after the first words, where the model is slow. */
export const SLOWLY = "slowly";
const FIRST_WORDS = 4;

interface ChatRequest {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

/** The model of the scene's agents, in the wire format of OpenAI. */
export interface StoryModel {
  /** As an agent's file names it. */
  readonly model: string;
  stop(): Promise<void>;
}

/** Answers with a story, or calls the given tool and reports its result; a slow one never finishes. */
export async function startStoryModel({ isSlow }: { readonly isSlow: boolean }): Promise<StoryModel> {
  const server = await listening(async (request, response) => {
    const { messages, tools = [] } = JSON.parse(await text(request)) as ChatRequest;
    const asked = messages.findLastIndex(({ role }) => role === "user");
    const result = messages.slice(asked).find(({ role }) => role === "tool");
    const tool = tools[0]?.function.name;
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (tool !== undefined && !result) {
      const call = { name: tool, arguments: '{"expression":"6*7"}' };
      response.write(chunk({ tool_calls: [{ index: 0, id: "call_1", type: "function", function: call }] }));
      response.end(`${chunk({}, "tool_calls")}data: [DONE]\n\n`);
      return;
    }
    const words = result ? [`The result: ${JSON.stringify(result.content)}`] : STORY.split(/(?<= )/);
    const waits = isSlow && JSON.stringify(messages[asked]?.content).includes(SLOWLY);
    for (const content of waits ? words.slice(0, FIRST_WORDS) : words) response.write(chunk({ content }));
    if (!waits) response.end(`${chunk({}, "stop")}data: [DONE]\n\n`);
  });
  return { model: `openai-compatible:story@${server.url}/v1`, stop: () => server.stop() };
}

function chunk(delta: object, finish: string | null = null): string {
  const head = { id: "chat-1", object: "chat.completion.chunk", created: 1, model: "story" };
  return `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
}
