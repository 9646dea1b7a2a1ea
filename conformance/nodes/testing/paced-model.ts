import { listening } from "../../peers/peer-server.ts";
import type { Pace } from "./pace.ts";

/** A model that streams the same answer to every request, in OpenAI's wire format. */
export interface PacedModel {
  /** As an agent's file names it. */
  readonly model: string;
  /** The number of requests it got. */
  readonly turns: number;
  stop(): Promise<void>;
}

/** Says these tokens at this pace. */
export async function startPacedModel(tokens: readonly string[], pace: Pace): Promise<PacedModel> {
  let turns = 0;
  const server = await listening(async (request, response) => {
    turns += 1;
    request.resume();
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const content of tokens) {
      if (response.destroyed) return;
      response.write(chunk({ content }, null));
      await pace.pause();
    }
    response.end(`${chunk({}, "stop")}data: [DONE]\n\n`);
  });
  return {
    model: `openai-compatible:paced@${server.url}/v1`,
    get turns() {
      return turns;
    },
    stop: () => server.stop(),
  };
}

function chunk(delta: object, finish: string | null): string {
  const head = { id: "chat-1", object: "chat.completion.chunk", created: 1, model: "paced" };
  const body = { ...head, choices: [{ index: 0, delta, finish_reason: finish }] };
  return `data: ${JSON.stringify(body)}\n\n`;
}
