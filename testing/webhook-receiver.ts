import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { requestBody } from "./request-body.ts";

/** A webhook as it came in. */
export interface ReceivedWebhook {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: Record<string, unknown>;
  /** Counted from 1, over all. */
  readonly number: number;
}

/** What a receiver does with a webhook: the status that it answers, or nothing, ever. */
type Reaction = number | "hang";
type React = (webhook: ReceivedWebhook, response: ServerResponse) => Reaction | Promise<Reaction>;

/** A real receiver on loopback that records every webhook and then responds as configured. */
export class WebhookReceiver {
  readonly received: ReceivedWebhook[] = [];
  /** Those that were answered with success. */
  readonly taken: ReceivedWebhook[] = [];
  react: React;
  #port = 0;
  readonly #watchers = new Set<() => void>();

  private constructor(react: React) {
    this.react = react;
  }

  /** Starts one that ends with the test, on this port or a free one. */
  static async start(react: React = () => 204, port = 0): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver(react);
    const server = createServer(async (request, response) => {
      const text = await requestBody(request);
      if (text === undefined) return;
      const { headers, url: path = "" } = request;
      await receiver.#take({ path, headers, text, body: JSON.parse(text || "{}"), number: 0 }, response);
    });
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    receiver.#port = (server.address() as AddressInfo).port;
    return receiver;
  }

  url(path = "/hook"): string {
    return `http://127.0.0.1:${this.#port}${path}`;
  }

  /** Resolves as soon as the condition holds; the test's own timeout ends a wait in vain. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => this.#watchers.add(resolve));
  }

  async #take(webhook: ReceivedWebhook, response: ServerResponse): Promise<void> {
    const numbered = { ...webhook, number: this.received.length + 1 };
    this.received.push(numbered);
    this.#changed();
    const reaction = await this.react(numbered, response);
    if (reaction === "hang") return;
    if (reaction < 300) this.taken.push(numbered);
    response.writeHead(reaction).end();
    this.#changed();
  }

  #changed(): void {
    const watchers = [...this.#watchers];
    this.#watchers.clear();
    for (const resolve of watchers) resolve();
  }
}

/** Whether one of the signatures is of this secret, as Standard Webhooks tells receivers to check. */
export function isSignedBy(secret: string, { headers, text }: ReceivedWebhook): boolean {
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${text}`;
  const expected = createHmac("sha256", key).update(signed).digest("base64");
  return String(headers["webhook-signature"]).split(" ").includes(`v1,${expected}`);
}
