import { z } from "zod";

const WITHIN_MS = 5_000;
const cardSchema = z.object({
  url: z.string().optional(),
  supportedInterfaces: z.array(z.object({ url: z.string() })).optional(),
});

/** Whether the agent that serves its card there takes a request of somebody who shows nothing; asked for a task that nobody has. */
export async function answersAnybody(url: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(WITHIN_MS);
    const card = cardSchema.parse(
      await (await fetch(`${url}/.well-known/agent-card.json`, { signal })).json(),
    );
    const place = card.supportedInterfaces?.[0]?.url ?? card.url ?? url;
    const response = await fetch(place, {
      method: "POST",
      headers: { "Content-Type": "application/json", "A2A-Version": "1.0" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "GetTask", params: { id: "nobody" } }),
      redirect: "manual",
      signal,
    });
    await response.body?.cancel();
    return response.status !== 401 && response.status !== 403;
  } catch {
    // Who does not answer at all, or not over HTTP, is not shown to answer anybody.
    return false;
  }
}
