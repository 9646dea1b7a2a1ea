import { CommandRefusedError, type Principal } from "@parley/sessions";
import { recordedEvents } from "../../api/session-reading.ts";
import type { Answering } from "./asking/asking.ts";
import { OpenAiProblem } from "./openai-error.ts";
import type { Served } from "./served.ts";
import { type PartOfRun, partOfRun } from "./telling/part-of-run.ts";
import { namedByResponse, type ResponseSettings } from "./telling/response-object.ts";
import { ResponseTale } from "./telling/response-tale.ts";

/** A response that was asked for by its id, and what its request said of it. */
export interface NamedResponse {
  readonly part: PartOfRun;
  readonly settings: ResponseSettings;
}

/** Finds it, where it is the principal's and was not deleted. */
export async function namedResponse(
  { api: { sessions }, notes }: Pick<Served, "api" | "notes">,
  principal: Principal,
  id: string,
  param = "response_id",
): Promise<NamedResponse> {
  const named = namedByResponse(id);
  const sessionId = named && (await sessions.sessionOfRun(principal, named.runId));
  const row = sessionId === undefined ? undefined : await sessions.row(principal, sessionId);
  const part =
    named && row && row.status !== "deleted"
      ? await partOfRun(sessions, principal, { sessionId: row.id, ...named })
      : undefined;
  const settings = part && (await notes.settings(principal, part));
  if (settings) return { part, settings };
  throw new OpenAiProblem("not_found", `There is no response ${id}`, { param, code: "response_not_found" });
}

/** A response as it is at the moment. */
export async function responseSoFar(
  { api: { sessions } }: Pick<Served, "api">,
  principal: Principal,
  answering: Pick<Answering, "sessionId" | "runId" | "part">,
  settings: ResponseSettings,
): Promise<{ readonly part: PartOfRun; readonly tale: ResponseTale }> {
  const part = await partOfRun(sessions, principal, answering);
  if (!part) throw new CommandRefusedError("not_found", "There is no such response");
  const tale = new ResponseTale(part, settings);
  tale.begin();
  for await (const page of recordedEvents(sessions, principal, part.state, part.after))
    for (const recorded of page)
      if ("runId" in recorded.event && recorded.event.runId === part.run.id) tale.event(recorded);
  if (part.run.status === "waiting") tale.end("waiting");
  return { part, tale };
}
