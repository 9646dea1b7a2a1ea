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

export interface WebhookTry {
  readonly id: string;
  readonly config: SealedContent;
  readonly body: NotificationBody;
  readonly signal: AbortSignal;
}

/** What a receiver answered, in words that hold no secret. */
export type WebhookAnswer = "taken" | "gone" | { readonly error: string };

/** Sends a webhook through the egress guard; a redirect is a failure, so no secret ever goes on to another host. */
export async function sendWebhook(
  { id, config, body, signal }: WebhookTry,
  { egress, signer, timeoutMs }: WebhookSenderOptions,
): Promise<WebhookAnswer> {
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
    // Only the status matters, and an endless body must not hold us up.
    await response.body?.cancel();
    return answerOf(response.status);
  } catch (error) {
    // The guard's own errors hold no secret; others may quote a header.
    return { error: error instanceof EgressError ? error.message : "The request could not be sent" };
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
