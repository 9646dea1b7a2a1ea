import { createHash } from "node:crypto";
import { EventsTrimmedError, type Journal, type RecordedEvent, UnknownStreamError } from "@parley/journal";
import { memberIn } from "../extension/extension-member.ts";
import { snapshot } from "../extension/members.ts";
import { A2AError } from "../protocol/errors.ts";
import type { Json, Message, Metadata, Task } from "../protocol/model.ts";
import { readTask } from "./reading/task-view.ts";

/** The events of a context's stream; messages are in the streams of its tasks. */
export type ContextEvent =
  /** A task of this context began, with the metadata of its request; `keyed`: by a version that knows keyed names. */
  | { readonly began: { readonly taskId: string; readonly metadata?: Metadata; readonly keyed?: true } }
  /** Variables that a task set, or removed by null. */
  | { readonly set: Metadata };

const PREFIX = "context/";
const PAGE = 1_000;
const DEFAULT_HISTORY = 100;

/** The stream of a context. Contexts of two owners are two, whatever their callers name them. */
export function contextStream(owner: string, contextId: string): string {
  return PREFIX + createHash("sha256").update(`${owner}\0${contextId}`).digest("base64url");
}

export function isContextStream(stream: string): boolean {
  return stream.startsWith(PREFIX);
}

/** What the tasks of one context share: their messages, variables and metadata (S1.19). */
export class ContextMemory {
  readonly #journal: Journal;
  readonly #stream: string;
  readonly #taskId: string;

  constructor(
    journal: Journal,
    { owner, contextId, taskId }: { owner: string; contextId: string; taskId: string },
  ) {
    this.#journal = journal;
    this.#stream = contextStream(owner, contextId);
    this.#taskId = taskId;
  }

  /** The last messages of the tasks that started before this one, oldest first. */
  async history(limit = DEFAULT_HISTORY): Promise<readonly Message[]> {
    const earlier: string[] = [];
    for await (const { payload } of eventsOf(this.#journal, this.#stream)) {
      if (!("began" in payload)) continue;
      if (payload.began.taskId === this.#taskId) break;
      earlier.push(payload.began.taskId);
    }
    const messages: Message[] = [];
    for (const taskId of earlier.reverse()) {
      if (messages.length >= limit) break;
      messages.unshift(...(await this.#said(taskId)));
    }
    return limit === 0 ? [] : messages.slice(-limit);
  }

  /** Whether others know this context by a name that is made with a key; older contexts keep the name they had. */
  async hasKeyedName(): Promise<boolean> {
    for await (const { payload } of eventsOf(this.#journal, this.#stream))
      if ("began" in payload) return payload.began.keyed === true;
    return true;
  }

  async variables(): Promise<Metadata> {
    return (await this.#read()).variables;
  }

  /** The metadata of all requests in this context, the newest of each name. */
  async metadata(): Promise<Metadata> {
    return (await this.#read()).metadata;
  }

  /** Sets variables for this and all later tasks; null removes one. Resolves when that is committed. */
  async set(variables: Readonly<Record<string, Json>>): Promise<void> {
    await this.#journal.append(this.#stream, [{ set: variables } satisfies ContextEvent]);
  }

  // A task that is gone by its retention has nothing more to say.
  async #said(taskId: string): Promise<readonly Message[]> {
    try {
      return conversationOf((await readTask(this.#journal, taskId)).snapshot());
    } catch (error) {
      if (error instanceof A2AError && error.kind === "TaskNotFound") return [];
      throw error;
    }
  }

  async #read() {
    const variables = new Map<string, Json>();
    let metadata: Metadata = {};
    for await (const { payload } of eventsOf(this.#journal, this.#stream)) {
      if ("began" in payload) metadata = { ...metadata, ...payload.began.metadata };
      else
        for (const [name, value] of Object.entries(payload.set)) {
          if (value === null) variables.delete(name);
          else variables.set(name, value);
        }
    }
    return { metadata, variables: Object.fromEntries(variables) };
  }
}

/** The conversation of a task: its messages and then the answer, which is its last status or else its artifacts. */
function conversationOf({ id, contextId, history = [], status, artifacts = [] }: Task): readonly Message[] {
  // With a complete answer, its intermediate output is not part of the conversation.
  const answers = artifacts.filter(({ metadata }) => memberIn(metadata, snapshot).value !== undefined);
  const parts = (answers.length > 0 ? answers : artifacts).flatMap((artifact) => artifact.parts);
  const made: Message = { messageId: `${id}-answer`, taskId: id, contextId, role: "ROLE_AGENT", parts };
  return [...history, ...(parts.length > 0 ? [made] : []), ...(status.message ? [status.message] : [])];
}

async function* eventsOf(
  journal: Journal,
  stream: string,
): AsyncGenerator<RecordedEvent<ContextEvent>, void, void> {
  for (let after = 0; ; ) {
    try {
      const events = await journal.read<ContextEvent>(stream, after, PAGE);
      yield* events;
      const last = events.at(-1);
      if (!last) return;
      after = last.index;
    } catch (error) {
      if (error instanceof UnknownStreamError) return;
      if (!(error instanceof EventsTrimmedError)) throw error;
      after = error.first - 1;
    }
  }
}
