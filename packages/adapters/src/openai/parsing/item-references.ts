import type { Principal, Sessions } from "@parley/sessions";
import { answerText } from "../../conversations/session-reading.ts";
import { namedByItem } from "../encoding/response-object.ts";
import { OpenAiProblem } from "../openai-error.ts";
import type { ResponsesRequest } from "./responses-request.ts";

type Input = ResponsesRequest["input"];
type Item = Exclude<Input, string>[number];

/**
 * Replaces references to answers by the answers. A run's answer stands where the first of its messages is referenced:
 * the others are parts of it.
 */
export async function withoutReferences(
  sessions: Sessions,
  principal: Principal,
  input: Input,
): Promise<Input> {
  if (typeof input === "string") return input;
  const runs = new Set<string>();
  const items: Item[] = [];
  for (const [place, item] of input.entries()) {
    if (!("type" in item) || item.type !== "item_reference") {
      items.push(item);
      continue;
    }
    const { kind, runId } = namedByItem(item.id) ?? {};
    const text = runId === undefined ? undefined : await answerOf(sessions, principal, runId);
    if (kind === undefined || runId === undefined || text === undefined)
      throw new OpenAiProblem("not_found", `There is no item ${item.id}`, {
        ...{ param: `input.${place}.id`, code: "item_not_found" },
      });
    if (kind === "msg" && !runs.has(runId)) items.push({ role: "assistant", content: text });
    if (kind === "msg") runs.add(runId);
  }
  return items;
}

async function answerOf(
  sessions: Sessions,
  principal: Principal,
  runId: string,
): Promise<string | undefined> {
  const sessionId = await sessions.sessionOfRun(principal, runId);
  if (sessionId === undefined) return undefined;
  const { messages, runs } = await sessions.state(principal, sessionId);
  const answer = messages.find((message) => message.role === "assistant" && message.runId === runId);
  return answer?.content ?? answerText(runs.get(runId)?.texts);
}
