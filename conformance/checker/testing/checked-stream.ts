import { type Steps, startScriptedPeer } from "../../peers/index.ts";
import { call, during } from "../../peers/testing/peer-client.ts";
import { startChecker } from "../index.ts";

/** The message sent to a scripted peer. */
export const message = { messageId: "m", role: "ROLE_USER", parts: [{ text: "hi" }] };

/** The checker's report on a stream with these steps. */
export async function checked(steps: Steps, method = "SendStreamingMessage") {
  const peer = await during(startScriptedPeer({ steps }));
  const checker = await during(startChecker(peer.url));
  await (await call(checker.url, method, { id: "t1", message })).text();
  const { streams, violations } = checker.report();
  return { stream: streams[0], found: violations.map(({ rule, event }) => `${rule} at ${event}`) };
}
