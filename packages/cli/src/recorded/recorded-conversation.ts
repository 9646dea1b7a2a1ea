import type { Configuration, DomainEvent, EventOf } from "@parley/client";
import { RecordedRun, SUPERVISOR } from "./recorded-run.ts";
import type { RecordedTurn, Recording } from "./recording.ts";

type Said = EventOf<"user_message">["payload"];
type Turn = Omit<RecordedTurn, "files"> & { readonly files?: NonNullable<Said["files"]> };

interface Exchange {
  readonly message: Said;
  readonly run: RecordedRun;
  readonly meanwhile: string[];
  readonly config?: Configuration;
}

/** A session's messages and runs, gathered from its events; the same events lead to the same record. */
export class RecordedConversation {
  readonly #messages = new Map<string, Said>();
  readonly #exchanges = new Map<string, Exchange>();
  #history: { id: string; role: "user" | "agent"; text: string }[] = [];
  #config: Configuration = {};
  #toldConfig = "{}";
  #title = "";

  get title(): string {
    return this.#title;
  }

  /** What was said before the first message here, where the session is a fork. */
  get history(): NonNullable<Recording["history"]> {
    return this.#history.map(({ role, text }) => ({ role, text }));
  }

  /** The supervisor's model, or else that of whoever answered. */
  get model(): string | undefined {
    const told = this.#runs.filter(({ model }) => model !== undefined);
    return (told.find(({ agent }) => agent === SUPERVISOR) ?? told[0])?.model;
  }

  /** The run that has not ended, if there is one. */
  get openRun(): RecordedRun | undefined {
    return this.#runs.find(({ isOver }) => !isOver);
  }

  accept(event: DomainEvent): void {
    switch (event.type) {
      case "session_created":
        this.#title = event.payload.title;
        this.#config = event.payload.config ?? {};
        break;
      case "session_renamed":
        this.#title = event.payload.title;
        break;
      case "config_changed":
        this.#config = event.payload.config;
        break;
      case "user_message":
        this.#said(event.payload);
        break;
      case "agent_message": {
        const { messageId: id, content: text } = event.payload;
        this.#history.push({ id, role: "agent", text });
        break;
      }
      case "agent_start":
        this.#begin(event.payload);
        break;
      default:
        if ("runId" in event.payload && event.payload.runId)
          this.#exchanges.get(event.payload.runId)?.run.accept(event);
    }
  }

  /** Each message with what came of it, or one message; files are still where the session has them. */
  turns(messageId?: string): Turn[] {
    const exchanges = [...this.#exchanges.values()];
    const wanted = exchanges.filter(
      ({ message }) => messageId === undefined || message.messageId === messageId,
    );
    return wanted.map(({ message, run, meanwhile, config }) => {
      const { answers, plans, calls, does, state, reason, text } = run.outcome();
      return {
        message: message.content,
        ...(message.files && { files: message.files }),
        agent: run.agent,
        ...(config && { config: config as NonNullable<RecordedTurn["config"]> }),
        ...(meanwhile.length > 0 && { meanwhile }),
        ...(answers && { answers }),
        ...(plans && { plans }),
        ...(calls && { calls }),
        ...(does && { does }),
        state,
        ...(reason !== undefined && { reason }),
        text,
      };
    });
  }

  get #runs(): RecordedRun[] {
    return [...this.#exchanges.values()].map(({ run }) => run);
  }

  #said(message: Said): void {
    const { messageId: id, content: text, runId } = message;
    this.#messages.set(id, message);
    const under = runId === undefined ? undefined : this.#exchanges.get(runId);
    if (under) under.meanwhile.push(text);
    else this.#history.push({ id, role: "user", text });
  }

  #begin({ runId, agent, messageId }: EventOf<"agent_start">["payload"]): void {
    const message = this.#messages.get(messageId);
    if (!message) return;
    // Until its run begins, a message is one of those that were said before.
    this.#history = this.#history.filter(({ id }) => id !== messageId);
    const config = JSON.stringify(this.#config);
    const isTold = config === this.#toldConfig;
    this.#toldConfig = config;
    const run = new RecordedRun(runId, agent);
    this.#exchanges.set(runId, { message, run, meanwhile: [], ...(!isTold && { config: this.#config }) });
  }
}
