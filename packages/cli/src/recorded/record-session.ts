import type { ApiClient } from "@parley/client";
import { allItems, pages } from "../pages.ts";
import { RecordedConversation } from "./recorded-conversation.ts";
import { SUPERVISOR } from "./recorded-run.ts";
import { newRecording, type RecordedAgent, type RecordedTurn, type Recording } from "./recording.ts";

/** A session cannot become a test; the message says why. */
export class NotRecordableError extends Error {}

/** A session's conversation, as far as its events were read. */
export class FollowedSession {
  readonly id: string;
  readonly conversation = new RecordedConversation();
  readonly #client: ApiClient;
  #index = 0;

  constructor(client: ApiClient, id: string) {
    this.id = id;
    this.#client = client;
  }

  /** Reads new events, each once. */
  async catchUp(): Promise<RecordedConversation> {
    const read = (query: object) => this.#client.listEvents(this.id, { limit: 1_000, ...query });
    for await (const { events } of pages(read, String(this.#index)))
      for (const event of events) {
        this.conversation.accept(event);
        this.#index = event.index;
      }
    return this.conversation;
  }
}

/** Records a session with the content of its files and the agents that are known now. */
export async function recordSession(client: ApiClient, sessionId: string): Promise<Recording> {
  const conversation = await new FollowedSession(client, sessionId).catchUp();
  if (conversation.openRun)
    throw new NotRecordableError(
      `${conversation.openRun.agent} is still working; retry when it has finished`,
    );
  const { title, model, history } = conversation;
  const turns = await recordedTurns(client, conversation);
  if (turns.length === 0) throw new NotRecordableError("it has no messages yet");
  const cancelled = turns.findIndex(({ state }) => state === "cancelled");
  if (cancelled >= 0)
    throw new NotRecordableError(
      `message ${cancelled + 1} was cancelled, which cannot be repeated; fork the session before it`,
    );
  const agents = withFormerAgents(await knownAgents(client), turns);
  return newRecording({ title, model, agents, history: history.length > 0 ? history : undefined, turns });
}

/** The conversation's turns, or that of one message, with the content of all files. */
export async function recordedTurns(
  client: ApiClient,
  conversation: RecordedConversation,
  messageId?: string,
): Promise<RecordedTurn[]> {
  const base64 = async (id: string) =>
    Buffer.from(await (await client.downloadFile(id)).arrayBuffer()).toString("base64");
  const withContent = async <Part extends object>(part: Part) => {
    const { blob, size: _, ...rest } = part as { readonly blob?: string; readonly size?: number };
    return blob === undefined ? part : { ...rest, raw: await base64(blob) };
  };
  type Moments = NonNullable<RecordedTurn["does"]>;
  const filled = (moments: Moments): Promise<Moments> =>
    Promise.all(
      moments.map(async (moment) =>
        "brings" in moment ? { ...moment, parts: await Promise.all(moment.parts.map(withContent)) } : moment,
      ),
    );
  return Promise.all(
    conversation.turns(messageId).map(async ({ files = [], calls = [], does, ...turn }) => {
      const read = files.map(async ({ name, mediaType, blob }) => ({
        name,
        mediaType,
        base64: await base64(blob),
      }));
      const made = calls.map(async (call) => ({ ...call, does: await filled(call.does) }));
      return {
        ...turn,
        files: read.length > 0 ? await Promise.all(read) : undefined,
        calls: made.length > 0 ? await Promise.all(made) : undefined,
        does: does && (await filled(does)),
      };
    }),
  );
}

async function knownAgents(client: ApiClient): Promise<RecordedAgent[]> {
  const agents = await allItems(
    (query) => client.listAgents(query),
    (page) => page.agents,
  );
  return agents.flatMap(({ name, description, skills = [], enabled }) => {
    if (!enabled || description === undefined) return [];
    const own = skills.map(({ tags, examples, ...skill }) => ({
      ...skill,
      tags: [...tags],
      ...(examples && { examples: [...examples] }),
    }));
    return [{ name, description, skills: own }];
  });
}

/** Adds agents that answered then and are no longer known: only what they did is left of them. */
function withFormerAgents(known: readonly RecordedAgent[], turns: readonly RecordedTurn[]): RecordedAgent[] {
  const asked = turns.flatMap(({ agent, calls = [] }) => [agent, ...calls.map((call) => call.agent)]);
  const names = new Set([SUPERVISOR, ...known.map(({ name }) => name)]);
  const former = [...new Set(asked)].filter((name) => !names.has(name));
  const all = [...known, ...former.map((name) => ({ name, description: name, skills: [] }))];
  return all.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}
