// An endpoint that speaks the OpenAI-compatible wire format and streams as many tokens as the model's name says, unpaced.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

const head = { id: "chat_1", object: "chat.completion.chunk", created: 1, model: "tokens" };
const frame = (data: object) => `data: ${JSON.stringify({ ...head, ...data })}\n\n`;

const server = createServer(async (request, response) => {
  const { model } = JSON.parse(await text(request)) as { model: string };
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (let n = 0; n < Number(model); n++) {
    const choices = [{ index: 0, delta: { content: `token ${n} ` }, finish_reason: null }];
    if (!response.write(frame({ choices }))) await once(response, "drain");
  }
  response.write(frame({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }));
  const usage = { prompt_tokens: 10, completion_tokens: Number(model), total_tokens: 10 + Number(model) };
  response.end(`${frame({ choices: [], usage })}data: [DONE]\n\n`);
});
server.listen(0, "127.0.0.1", () =>
  console.log(`http://localhost:${(server.address() as AddressInfo).port}`),
);
