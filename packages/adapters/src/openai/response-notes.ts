import type { Principal, SessionState, Sessions } from "@parley/sessions";
import { z } from "zod";
import { contextAt } from "./conversation/chat-command.ts";
import { type ResponseSettings, responseId } from "./encoding/response-object.ts";
import type { RunPart } from "./encoding/run-part.ts";
import type { ResponsesRequest } from "./parsing/responses-request.ts";

const noted = z.object({
  model: z.string().optional(),
  previousResponseId: z.string().optional(),
  metadata: z.record(z.string(), z.string()).optional(),
  background: z.boolean().optional(),
  summary: z.boolean().optional(),
  /** The session's context is exactly the instructions. */
  instructs: z.boolean().optional(),
});

/** The settings of a request that its response repeats. */
export function settingsOf(body: ResponsesRequest): ResponseSettings {
  return {
    model: body.model,
    previousResponseId: body.previous_response_id ?? undefined,
    instructions: body.instructions ?? undefined,
    metadata: body.metadata ?? undefined,
    background: body.background ?? undefined,
    summary: typeof body.reasoning?.summary === "string" ? true : undefined,
  };
}

/** Settings of responses, stored beside their session. */
export class ResponseNotes {
  readonly #sessions: Sessions;

  constructor(sessions: Sessions) {
    this.#sessions = sessions;
  }

  /** Notes a request's settings. */
  async save(principal: Principal, { state, run, part }: RunPart, settings: ResponseSettings): Promise<void> {
    const { instructions, model, ...others } = settings;
    const context = contextWords(state, run.messageId);
    const kept = {
      ...others,
      ...(model !== run.agent && { model }),
      // The record has the instructions: they are not stored twice.
      ...(instructions !== undefined && instructions.trim() === context && { instructs: true }),
    };
    if (Object.values(kept).every((value) => value === undefined || value === false)) return;
    const mark = `${settingsMark(responseId(run.id, part))}${JSON.stringify(kept)}`;
    await this.#sessions.mark(principal, state.id, mark);
  }

  /** The settings of a response; undefined: it was deleted. */
  async settings(principal: Principal, { state, run, part }: RunPart): Promise<ResponseSettings | undefined> {
    const id = responseId(run.id, part);
    const marks = [...(await this.#sessions.marks(principal, state.id))];
    if (marks.includes(deletedMark(id))) return undefined;
    const mark = marks.findLast((each) => each.startsWith(settingsMark(id)));
    if (mark === undefined) return {};
    const { instructs, ...settings } = noted.parse(JSON.parse(mark.slice(settingsMark(id).length)));
    return { ...settings, ...(instructs && { instructions: contextWords(state, run.messageId) }) };
  }

  /** Hides a response; the session keeps it. */
  delete(principal: Principal, sessionId: string, id: string): Promise<void> {
    return this.#sessions.mark(principal, sessionId, deletedMark(id));
  }
}

/** The instructions in force when a message came. */
function contextWords({ messages }: SessionState, messageId: string): string {
  const upTo = messages.findIndex(({ id }) => id === messageId) + 1;
  const block = contextAt(messages.slice(0, upTo));
  return block.replace(/^<context>\n/, "").replace(/\n<\/context>\n\n$/, "");
}

function settingsMark(id: string): string {
  return `openai:said:${id}:`;
}

function deletedMark(id: string): string {
  return `openai:deleted:${id}`;
}
