import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { compatibleWire } from "@parley/models/testing/compatible-wire.ts";
import type { WireTurn } from "@parley/models/testing/wire.ts";
import { onTestFinished } from "vitest";

interface ChatMessage {
  readonly role: string;
  readonly content: string;
}

const BETWEEN_TOKENS_MS = 2;

/** A model at a local endpoint that books a trip with three tools, and says what came of it; it takes its time. */
export async function startTripModel(): Promise<string> {
  const server = createServer(async (request, response) => {
    const { messages } = JSON.parse(await text(request)) as { messages: ChatMessage[] };
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const frame of compatibleWire.frames(turnAfter(messages))) {
      response.write(frame);
      await pause(BETWEEN_TOKENS_MS);
    }
    response.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** All that the model says of a trip whose payment came to this. */
export function wholeText(trip: string, payment: "made" | "unknown"): string {
  return [opening(trip), "Now I pay for it. ", closing(payment)].join("");
}

function turnAfter(messages: readonly ChatMessage[]): WireTurn {
  const trip = messages.find(({ role }) => role === "user")?.content ?? "";
  const outcomes = messages.filter(({ role }) => role === "tool");
  const call = (tool: string) => ({ id: tool, tool: `trips__${tool}`, pieces: [JSON.stringify({ trip })] });
  if (outcomes.length === 0)
    return { text: tokens(opening(trip)), calls: [call("look"), call("reserve")], end: "tool-calls" };
  if (outcomes.length === 2)
    return { text: tokens("Now I pay for it. "), calls: [call("pay")], end: "tool-calls" };
  const isUnknown = outcomes.at(-1)?.content.includes("outcome is unknown");
  return { text: tokens(closing(isUnknown ? "unknown" : "made")), end: "stop" };
}

function opening(trip: string): string {
  return `I look for trip ${trip} and reserve a seat in the first train of the day. `;
}

function closing(payment: "made" | "unknown"): string {
  return payment === "made"
    ? "All is paid, and the trip can begin."
    : "Whether it was paid for I do not know: please look before I try again.";
}

function tokens(words: string): string[] {
  return words.match(/\S+\s*/g) ?? [];
}
