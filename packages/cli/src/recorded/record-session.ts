import type { ApiClient } from "@parley/client";
import { FollowedSession } from "./followed-session.ts";
import type { RecordedConversation } from "./recorded-conversation.ts";
import { SUPERVISOR } from "./recorded-run.ts";
import { newRecording, type RecordedAgent, type RecordedTurn, type Recording } from "./recording.ts";

/** A session cannot become a test; the message says why. */
export class NotRecordableError extends Error {}

/** Makes a test of a session: of its events, the content of its files, and the agents that are known now. */
export async function recordSession(client: ApiClient, sessionId: string): Promise<Recording> {
  const conversation = await new FollowedSession(client, sessionId).catchUp();
  if (conversation.openRun)
    throw new NotRecordableError(
      `${conversation.openRun.agent} is still at work: record it when it has ended`,
    );
  const { title, model, history } = conversation;
  const turns = await recordedTurns(client, conversation);
  if (turns.length === 0) throw new NotRecordableError("nothing was asked in it yet");
  const cancelled = turns.findIndex(({ state }) => state === "cancelled");
  if (cancelled >= 0)
    throw new NotRecordableError(
      `message ${cancelled + 1} was cancelled, and when exactly cannot be repeated: fork the session before it`,
    );
  return newRecording({
    title,
    ...(model !== undefined && { model }),
    agents: withGone(await knownAgents(client), turns),
    ...(history.length > 0 && { history }),
    turns,
  });
}

/** The conversation's turns, or that of one message, with the content of all files in them. */
export async function recordedTurns(
  client: ApiClient,
  conversation: RecordedConversation,
  messageId?: string,
): Promise<RecordedTurn[]> {
  const content = async (id: string) => Buffer.from(await (await client.downloadFile(id)).arrayBuffer());
  const base64 = async (id: string) => (await content(id)).toString("base64");
  const whole = async <Part extends object>(part: Part) => {
    const { blob, size: _, ...rest } = part as { readonly blob?: string; readonly size?: number };
    return blob === undefined ? part : { ...rest, raw: await base64(blob) };
  };
  type Moments = NonNullable<RecordedTurn["does"]>;
  const filled = (moments: Moments): Promise<Moments> =>
    Promise.all(
      moments.map(async (moment) =>
        "brings" in moment ? { ...moment, parts: await Promise.all(moment.parts.map(whole)) } : moment,
      ),
    );
  return Promise.all(
    conversation.turns(messageId).map(async ({ files, calls, does, ...turn }) => ({
      ...turn,
      ...(files && {
        files: await Promise.all(
          files.map(async ({ name, mediaType, blob }) => ({ name, mediaType, base64: await base64(blob) })),
        ),
      }),
      ...(calls && {
        calls: await Promise.all(calls.map(async (call) => ({ ...call, does: await filled(call.does) }))),
      }),
      ...(does && { does: await filled(does) }),
    })),
  );
}

async function knownAgents(client: ApiClient): Promise<RecordedAgent[]> {
  const agents: RecordedAgent[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await client.listAgents({ ...(cursor !== undefined && { cursor }) });
    for (const { name, description, skills = [], enabled } of page.agents) {
      if (!enabled || description === undefined) continue;
      const own = skills.map(({ tags, examples, ...skill }) => ({
        ...skill,
        tags: [...tags],
        ...(examples && { examples: [...examples] }),
      }));
      agents.push({ name, description, skills: own });
    }
    if (page.next === null || page.next === undefined) break;
    cursor = page.next;
  }
  return agents;
}

/** With those who answered then and are not known any more: of them nothing is left but what they did. */
function withGone(known: readonly RecordedAgent[], turns: readonly RecordedTurn[]): RecordedAgent[] {
  const asked = turns.flatMap(({ agent, calls = [] }) => [agent, ...calls.map((call) => call.agent)]);
  const names = new Set([SUPERVISOR, ...known.map(({ name }) => name)]);
  const gone = [...new Set(asked)].filter((name) => !names.has(name));
  const all = [...known, ...gone.map((name) => ({ name, description: name, skills: [] }))];
  return all.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}
