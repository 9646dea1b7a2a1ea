import type { Configuration, DomainEvent, EventOf } from "@parley/client";
import { RecordedRun, SUPERVISOR } from "./recorded-run.ts";
import type { RecordedTurn, Recording } from "./recording.ts";

type UserMessage = EventOf<"user_message">["payload"];
type Turn = Omit<RecordedTurn, "files"> & { readonly files?: NonNullable<UserMessage["files"]> | undefined };

interface Exchange {
  readonly message: UserMessage;
  readonly run: RecordedRun;
  readonly meanwhile: string[];
  readonly config: Configuration | undefined;
}

/** A session's messages and runs, collected from its events; the same events give the same recording. */
export class RecordedConversation {
  readonly #messages = new Map<string, UserMessage>();
  readonly #exchanges = new Map<string, Exchange>();
  #history: { id: string; role: "user" | "agent"; text: string }[] = [];
  #config: Configuration = {};
  #recordedConfig = "{}";
  #title = "";

  get title(): string {
    return this.#title;
  }

  /** The messages before the first turn, where the session is a fork. */
  get history(): NonNullable<Recording["history"]> {
    return this.#history.map(({ role, text }) => ({ role, text }));
  }

  /** The supervisor's model, or else that of the agent that answered. */
  get model(): string | undefined {
    const runs = this.#runs.filter(({ model }) => model !== undefined);
    return (runs.find(({ agent }) => agent === SUPERVISOR) ?? runs[0])?.model;
  }

  /** The run that has not ended, if there is one. */
  get openRun(): RecordedRun | undefined {
    return this.#runs.find(({ hasEnded }) => !hasEnded);
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
        this.#acceptMessage(event.payload);
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

  /** Each message with its outcome, or only one; files are still references. */
  turns(messageId?: string): Turn[] {
    const exchanges = [...this.#exchanges.values()];
    const wanted = exchanges.filter(
      ({ message }) => messageId === undefined || message.messageId === messageId,
    );
    return wanted.map(({ message, run, meanwhile, config }) => ({
      message: message.content,
      files: message.files,
      agent: run.agent,
      config: config as RecordedTurn["config"],
      meanwhile: meanwhile.length > 0 ? meanwhile : undefined,
      ...run.outcome(),
    }));
  }

  get #runs(): RecordedRun[] {
    return [...this.#exchanges.values()].map(({ run }) => run);
  }

  #acceptMessage(message: UserMessage): void {
    const { messageId: id, content: text, runId } = message;
    this.#messages.set(id, message);
    const under = runId === undefined ? undefined : this.#exchanges.get(runId);
    if (under) under.meanwhile.push(text);
    else this.#history.push({ id, role: "user", text });
  }

  #begin({ runId, agent, messageId }: EventOf<"agent_start">["payload"]): void {
    const message = this.#messages.get(messageId);
    if (!message) return;
    // A message belongs to the history until its run starts.
    this.#history = this.#history.filter(({ id }) => id !== messageId);
    const config = JSON.stringify(this.#config);
    const changed = config === this.#recordedConfig ? undefined : this.#config;
    this.#recordedConfig = config;
    const run = new RecordedRun(runId, agent);
    this.#exchanges.set(runId, { message, run, meanwhile: [], config: changed });
  }
}
