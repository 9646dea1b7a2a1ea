import { setTimeout as pause } from "node:timers/promises";
import { type ApiClient, ApiError } from "@parley/client";
import { defined } from "../defined.ts";
import { comparable } from "./difference.ts";
import { FollowedSession, recordedTurns } from "./record-session.ts";
import { plainQuestion } from "./recorded-moments.ts";
import type { RecordedAnswer, RecordedTurn, Recording } from "./recording.ts";

const POLL_MS = 25;

export interface ReplayRecordingOptions {
  /** How long the answer to one message may take. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Called with the number of each message, from 1. */
  onMessage(number: number): void;
}

/** Sends the recorded messages to a platform, repeats the recorded answers, and returns the outcome of each message. */
export async function replayTurns(
  client: ApiClient,
  recording: Recording,
  options: ReplayRecordingOptions,
): Promise<RecordedTurn[]> {
  const session = new FollowedSession(client, await openSession(client, recording));
  const outcomes: RecordedTurn[] = [];
  for (const [at, turn] of recording.turns.entries()) {
    options.onMessage(at + 1);
    try {
      const messageId = await sendTurn(client, session.id, turn);
      await followTurn(client, { session, turn, ...options });
      outcomes.push(...(await recordedTurns(client, session.conversation, messageId)));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // For example, an agent that no longer exists.
      const { message, agent } = turn;
      outcomes.push({ message, agent, state: "failed", reason: error.message, text: "" });
    }
  }
  return outcomes;
}

async function openSession(client: ApiClient, { history = [] }: Recording): Promise<string> {
  if (history.length === 0) return (await client.createSession({})).session.id;
  const before = history.map(({ role, text: content }, at) =>
    role === "user"
      ? { type: "user_message", payload: { messageId: `before-${at}`, content } }
      : { type: "agent_message", payload: { messageId: `before-${at}`, runId: `before-${at}`, content } },
  );
  const created = { type: "session_created", payload: { workspace: "default", owner: "local", title: "" } };
  const lines = [created, ...before].map((event) => JSON.stringify(event));
  return (await client.importSession({ content: lines.join("\n") })).session.id;
}

async function sendTurn(client: ApiClient, sessionId: string, turn: RecordedTurn): Promise<string> {
  const { message: content, agent, config, meanwhile = [], files = [] } = turn;
  if (config) await client.changeSession(sessionId, { config });
  const uploaded = files.map(async ({ name, mediaType, base64 }) => {
    const { file } = await client.uploadFile({
      name,
      mediaType,
      content: Uint8Array.from(Buffer.from(base64, "base64")),
    });
    return file.id;
  });
  const ids = await Promise.all(uploaded);
  const attached = ids.length > 0 ? { files: ids } : {};
  const { message } = await client.postMessage(sessionId, { content, agent, ...attached });
  for (const later of meanwhile) await client.postMessage(sessionId, { content: later });
  return message.id;
}

interface Following extends ReplayRecordingOptions {
  readonly session: FollowedSession;
  readonly turn: RecordedTurn;
}

/** Waits until the message is answered; cancels the run at an unexpected question or a timeout. */
async function followTurn(client: ApiClient, { session, turn, timeoutMs, signal }: Following): Promise<void> {
  const left = [...(turn.answers ?? [])];
  const seen = new Set<string>();
  const giveUpAt = performance.now() + timeoutMs;
  let isCancelled = false;
  for (;;) {
    signal.throwIfAborted();
    const run = (await session.catchUp()).openRun;
    if (!run) return;
    const cancel = async (reason: string) => {
      isCancelled = true;
      await client.cancelRun(session.id, run.id, { reason });
    };
    const question = run.openQuestions.find(({ approvalId }) => !seen.has(approvalId));
    if (question && !isCancelled) {
      seen.add(question.approvalId);
      const answer = takeAnswer(left, plainQuestion(question.question), question.tool);
      if (answer) await client.answerApproval(session.id, question.approvalId, answerBody(answer));
      else await cancel(`It asks a question that was not recorded: ${question.question}`);
    } else if (performance.now() > giveUpAt && !isCancelled)
      await cancel(`No answer within ${timeoutMs / 1_000} s`);
    await pause(POLL_MS, undefined, { signal });
  }
}

/** Removes and returns the recorded answer to the same question, or else to one about the same tool. */
function takeAnswer(
  left: RecordedAnswer[],
  question: string,
  tool: string | undefined,
): RecordedAnswer | undefined {
  const isSame = (answer: RecordedAnswer) => comparable(answer.question) === comparable(question);
  const isAlike = (answer: RecordedAnswer) => tool !== undefined && answer.tool === tool;
  const same = left.findIndex(isSame);
  const at = same < 0 ? left.findIndex(isAlike) : same;
  return at < 0 ? undefined : left.splice(at, 1)[0];
}

function answerBody({ decision, text, arguments: changed }: RecordedAnswer) {
  return { decision, ...defined({ text, arguments: changed }) };
}
