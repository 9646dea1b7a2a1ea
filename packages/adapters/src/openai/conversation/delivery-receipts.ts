import { isEnded, type Principal, type Run, type Sessions } from "@parley/sessions";
import type { Context } from "hono";
import type { AdapterEnvironment, AdapterHost } from "../../adapter-host.ts";
import type { RunPart } from "../encoding/run-part.ts";
import type { ResponseNotes } from "../response-notes.ts";
import type { ChatResolver } from "./chat-resolver.ts";

/**
 * Records which parts of runs their clients have received completely; questions separate the parts. Receipts are
 * stored beside the session, so every node knows them.
 */
export class DeliveryReceipts {
  readonly #sessions: Pick<Sessions, "mark" | "marks">;
  /** Receipts that are being recorded. */
  readonly #recording = new Set<string>();

  constructor(sessions: Pick<Sessions, "mark" | "marks">) {
    this.#sessions = sessions;
  }

  /** Records that a client waits for the run. */
  request(principal: Principal, sessionId: string, runId: string): Promise<void> {
    return this.#sessions.mark(principal, sessionId, askedMark(runId));
  }

  /** Records that the client has received a part. */
  async deliver(principal: Principal, sessionId: string, runId: string, part: number): Promise<void> {
    const mark = markOf(runId, part);
    this.#recording.add(mark);
    try {
      await this.#sessions.mark(principal, sessionId, mark);
    } finally {
      this.#recording.delete(mark);
    }
  }

  async isDelivered(principal: Principal, sessionId: string, runId: string, part: number): Promise<boolean> {
    const mark = markOf(runId, part);
    return this.#recording.has(mark) || (await this.#sessions.marks(principal, sessionId)).has(mark);
  }

  /**
   * Whether a run has not reached its client yet, so that the same request wants the same answer. Runs that other
   * protocols asked for have reached their clients.
   */
  async isPending(principal: Principal, sessionId: string, run: Run): Promise<boolean> {
    if (!isEnded(run)) return true;
    const isAsked = (await this.#sessions.marks(principal, sessionId)).has(askedMark(run.id));
    return isAsked && !(await this.isDelivered(principal, sessionId, run.id, 0));
  }
}

function askedMark(runId: string): string {
  return `openai:asked:${runId}`;
}

function markOf(runId: string, part: number): string {
  return `openai:told:${runId}:${part}`;
}

/** Records a receipt once the response has been sent completely; viewers only read, so they leave none. */
export function markWhenDelivered(
  { host, receipts }: { readonly host: AdapterHost; readonly receipts: DeliveryReceipts },
  context: Context<AdapterEnvironment>,
  delivered: () => RunPart | undefined,
): void {
  const { principal, identity } = context.var;
  if (identity.role === "viewer") return;
  context.env.outgoing.once("finish", () => {
    const part = delivered();
    if (!part) return;
    receipts
      .deliver(principal, part.state.id, part.run.id, part.part)
      // Without a receipt the same request only gets the same answer again.
      .catch((error: unknown) => host.log.warn({ err: error }, "receipt not recorded"));
  });
}

/** What the OpenAI routes share. */
export interface OpenAiContext {
  readonly host: AdapterHost;
  readonly resolver: ChatResolver;
  readonly receipts: DeliveryReceipts;
  readonly notes: ResponseNotes;
}
