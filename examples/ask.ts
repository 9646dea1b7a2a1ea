// A client: asks the supervisor and prints events as they happen, across reconnects.
// node examples/ask.ts "show argocd version", with PARLEY_URL where it is not http://localhost:8000
import { ApiClient, EventFeed } from "@parley/client";

const baseUrl = process.env.PARLEY_URL ?? "http://localhost:8000";
const api = new ApiClient({ baseUrl });
const { session } = await api.createSession();
const feed = new EventFeed({ baseUrl, sessionIds: [session.id] });
const ended = new AbortController();
for await (const item of feed.read(ended.signal)) {
  // Following before sending misses nothing.
  if (item.type === "opened" && !item.isResumed)
    await api.postMessage(session.id, { content: process.argv[2] ?? "What can you do?" });
  if (item.type !== "event") continue;
  const { type, payload } = item.event;
  if (type === "agent_tool_call") process.stdout.write(`🔧 ${payload.tool}\n`);
  if (type === "agent_complete") {
    process.stdout.write(`${payload.content}\n`);
    ended.abort();
  }
}
