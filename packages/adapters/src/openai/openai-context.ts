import type { Context } from "hono";
import type { AdapterEnvironment, AdapterHost } from "../adapter-host.ts";
import type { ChatResolver } from "./conversation/chat-resolver.ts";
import type { DeliveryReceipts } from "./conversation/delivery-receipts.ts";
import type { RunPart } from "./encoding/run-part.ts";
import type { ResponseNotes } from "./response-notes.ts";

/** Notes that a client has a part of a run to its end, once its answer has left whole. */
export function markWhenDelivered(
  { host, answers }: { readonly host: AdapterHost; readonly answers: DeliveryReceipts },
  context: Context<AdapterEnvironment>,
  told: () => RunPart | undefined,
): void {
  const { principal } = context.var;
  context.env.outgoing.once("finish", () => {
    const part = told();
    if (!part) return;
    answers
      .deliver(principal, part.state.id, part.run.id, part.part)
      // Without a receipt the same request gets the same answer again, which does no harm.
      .catch((error: unknown) => host.log.warn({ err: error }, "receipt not recorded"));
  });
}

/** What the routes that talk stand on: all of them share it. */
export interface OpenAiContext {
  readonly host: AdapterHost;
  readonly resolver: ChatResolver;
  readonly answers: DeliveryReceipts;
  readonly notes: ResponseNotes;
}
