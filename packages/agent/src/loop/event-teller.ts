import {
  type ArtifactWriter,
  approvalRequest,
  type Content,
  type Ending,
  type ExecutionContext,
  type Json,
  memberPart,
  type Part,
  toolCall,
  toolResult,
  usage as usageMember,
  withMember,
} from "@parley/a2a";
import type { ModelUsage } from "@parley/models";
import type { EndedCall, ExecutionEvent } from "./execution-event.ts";

export interface TellerOptions {
  /** Whether tokens are pieces of the artifact or status updates (S0.12). */
  readonly tokens: "artifact" | "status";
  /** Whether thinking is shown, as an artifact of its own (S2.23). */
  readonly thinking: boolean;
  /** `provider:model`, for the usage. */
  readonly model: string;
  /** What was said in the task's earlier turns. */
  readonly text: string;
}

const NOTHING_SAID = "The agent finished without saying anything.";

/** Tells an agent's events in A2A: one table for every agent (S2.4–9). */
export class EventTeller {
  readonly #context: ExecutionContext;
  readonly #options: TellerOptions;
  readonly #result: ArtifactWriter;
  #thinking: ArtifactWriter | undefined;
  #text: string;
  #ending: Ending | undefined;

  constructor(context: ExecutionContext, options: TellerOptions) {
    this.#context = context;
    this.#options = options;
    // The same in every turn of the task, so that one that goes on extends what is there.
    this.#result = context.artifact({ artifactId: `${context.taskId}-result`, name: "current_result" });
    this.#text = options.text;
  }

  /** Tells one event; an ending means that nothing follows. */
  tell(event: ExecutionEvent): Promise<Ending | undefined> {
    // Most events are text, and waiting for room is all that there is to wait for.
    return event.type === "text" ? (this.#say(event.text) as Promise<undefined>) : this.#tellAndKeep(event);
  }

  /** How the last event ended the work, if it did. */
  get ending(): Ending | undefined {
    return this.#ending;
  }

  async #tellAndKeep(event: Exclude<ExecutionEvent, { type: "text" }>): Promise<Ending | undefined> {
    this.#ending = await this.#tellRarer(event);
    return this.#ending;
  }

  async #tellRarer(event: Exclude<ExecutionEvent, { type: "text" }>): Promise<Ending | undefined> {
    switch (event.type) {
      case "text-restart":
        await this.#restart(event.text);
        return undefined;
      case "thinking":
        if (this.#options.thinking) await this.#think(event.text);
        return undefined;
      case "tool-input":
        return undefined; // The call itself is told of when it is made.
      case "tool-selected": {
        const { id, tool, arguments: given = {} } = event.call;
        const metadata = withMember(undefined, toolCall, { id, tool, arguments: given as Json });
        await this.#context.working(`🔧 Calling tool: ${tool}`, metadata);
        return undefined;
      }
      case "tool-files":
        await this.#give(event.callId, event.files);
        return undefined;
      case "tool-result":
        await this.#tellResult(event.result);
        return undefined;
      case "approval-needed": {
        const { tool, arguments: given } = event.request;
        const question = `May I call ${tool} with ${JSON.stringify(given)}? Answer yes or no.`;
        const message: Content = [{ text: question }, memberPart(approvalRequest, event.request)];
        await this.#thinking?.close();
        return { state: "input-required", message };
      }
      case "input-needed":
        await this.#thinking?.close();
        return inputRequired(event);
      case "complete":
        this.#close();
        return { state: "completed", metadata: this.#usage(event.usage), unlessSpokenTo: true };
      case "error":
        this.#close();
        return { state: "failed", message: event.message };
    }
  }

  #say(text: string): Promise<void> {
    this.#text += text;
    return this.#options.tokens === "status" ? this.#context.working(text) : this.#result.text(text);
  }

  async #restart(text: string): Promise<void> {
    this.#text = text;
    // Status updates cannot be taken back: there the closing artifact says what holds.
    if (this.#options.tokens === "status") return;
    if (hasResult(this.#context)) await this.#result.replace([{ text }]);
    else if (text) await this.#result.text(text);
  }

  async #think(text: string): Promise<void> {
    this.#thinking ??= this.#context.artifact({ name: "thinking" });
    await this.#thinking.text(text);
  }

  // The same id for the same file, so that a call that is made again gives none twice. All are written before anything is
  // waited for: the loop records the call's outcome with them.
  async #give(callId: string, files: readonly Part[]): Promise<void> {
    const given = files.map((file, index) => {
      const artifactId = `${this.#context.taskId}-file-${callId}-${index}`;
      const head = { artifactId, ...(file.filename !== undefined && { name: file.filename }) };
      return this.#context.artifact(head).replace([file], { last: true });
    });
    await Promise.all(given);
  }

  async #tellResult({ id, tool, outcome, text, data, durationMs }: EndedCall): Promise<void> {
    const result = { id, outcome, durationMs, ...(data !== undefined && { result: data }) };
    const metadata = withMember(undefined, toolResult, result);
    const told =
      outcome === "succeeded"
        ? `✅ Tool completed: ${tool}`
        : `❌ Tool ${outcome}: ${tool}: ${firstLine(text)}`;
    await this.#context.working(told, metadata);
  }

  // Nothing follows that would need room: waiting for it would only let somebody speak to a task that is at its end.
  #close(): void {
    void this.#thinking?.close();
    if (this.#text === "") void this.#result.close([{ text: NOTHING_SAID }]);
    else if (this.#options.tokens === "status") void this.#result.close([{ text: this.#text }]);
    else void this.#result.close();
  }

  #usage({ inputTokens = 0, outputTokens = 0, cachedInputTokens, cost }: ModelUsage) {
    return withMember(undefined, usageMember, {
      model: this.#options.model,
      inputTokens,
      outputTokens,
      ...(cachedInputTokens !== undefined && { cachedTokens: cachedInputTokens }),
      ...(cost !== undefined && { cost: { amount: cost, currency: "USD" } }),
    });
  }
}

function hasResult({ task, taskId }: ExecutionContext): boolean {
  return task.artifacts?.some(({ artifactId }) => artifactId === `${taskId}-result`) ?? false;
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0]?.slice(0, 300) ?? "";
}

/** How a task ends that waits for a person. */
export function inputRequired({
  question,
  metadata,
}: Extract<ExecutionEvent, { type: "input-needed" }>): Ending {
  return { state: "input-required", message: question, ...(metadata && { metadata }) };
}
