import { EgressError } from "../egress/egress-errors.ts";
import type { EgressPolicy } from "../egress/egress-policy.ts";
import { guardedFetch } from "../egress/guarded-fetch.ts";
import type { SealedContent } from "./config-seal.ts";
import type { NotificationBody } from "./notification-bodies.ts";
import type { WebhookSigner } from "./webhook-signature.ts";

export interface WebhookSenderOptions {
  readonly egress: EgressPolicy;
  readonly signer: WebhookSigner;
  /** For a whole try, from the name to the answer. */
  readonly timeoutMs: number;
}

/** One try: to whom, what, and until when. */
export interface WebhookTry {
  readonly id: string;
  readonly config: SealedContent;
  readonly body: NotificationBody;
  readonly signal: AbortSignal;
}

/** What a receiver answered, in words that hold no secret. */
export type WebhookAnswer = "taken" | "gone" | { readonly error: string };

/** Sends webhooks through the egress guard; a redirect is a failure, so no secret ever goes on to another host. */
export class WebhookSender {
  readonly #options: WebhookSenderOptions;

  constructor(options: WebhookSenderOptions) {
    this.#options = options;
  }

  async send({ id, config, body, signal }: WebhookTry): Promise<WebhookAnswer> {
    const { egress, signer, timeoutMs } = this.#options;
    const limits = { ...egress.limits, connect: timeoutMs, headers: timeoutMs, total: timeoutMs };
    const headers = {
      "content-type": body.contentType,
      "user-agent": "parley",
      ...signer.headers(id, body.text),
      ...secretHeaders(config),
    };
    try {
      const init = { method: "POST", headers, body: body.text, signal };
      const response = await guardedFetch(config.url, init, { ...egress, limits });
      // Nothing in the answer matters but its status, and an answer without an end must not hold us up.
      await response.body?.cancel();
      return answerOf(response.status);
    } catch (error) {
      // The guard's own errors hold no secret; what else can be thrown may name a header's value.
      return { error: error instanceof EgressError ? error.message : "The request could not be sent" };
    }
  }
}

function answerOf(status: number): WebhookAnswer {
  if (status >= 200 && status < 300) return "taken";
  return status === 410 ? "gone" : { error: `The receiver answered ${status}` };
}

function secretHeaders({ token, authentication }: SealedContent): Record<string, string> {
  const { scheme, credentials } = authentication ?? {};
  return {
    ...(token !== undefined && { "x-a2a-notification-token": token }),
    // Without a scheme there is no telling how the credentials are to be shown.
    ...(scheme && credentials && { authorization: `${scheme} ${credentials}` }),
  };
}
