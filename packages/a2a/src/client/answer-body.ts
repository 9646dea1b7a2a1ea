import { isDeeperThan } from "../bindings/json-limits.ts";
import { agentFailure } from "./agent-fetch.ts";
import { AgentResponseError, AuthenticationRequiredError } from "./client-errors.ts";
import { TEMPORARY } from "./retrying.ts";

const DEEPEST = 64;

/** The JSON of a response, whatever its status; `decodeError` finds the protocol's error in one that failed. */
export async function readAnswer(
  response: Response,
  origin: string,
  decodeError: (body: unknown) => Error | undefined,
): Promise<unknown> {
  const text = await response.text().catch((error: unknown) => {
    throw agentFailure(origin, error);
  });
  if (response.ok) return text === "" ? undefined : parseJson(text, origin, response.status);
  throw (
    (saysEnough(response) ? undefined : decodeError(jsonOrNothing(text))) ?? statusError(response, origin)
  );
}

/** Whoever must authenticate or come again later learns that from the status, whatever the body calls it. */
function saysEnough({ status }: Response): boolean {
  return status === 401 || status === 403 || TEMPORARY.has(status);
}

/** The error of a status that carries no A2A. */
export function statusError(response: Response, origin: string): Error {
  const { status } = response;
  if (status === 401 || status === 403) return new AuthenticationRequiredError(origin, status);
  const retryAfter = retryAfterOf(response.headers.get("retry-after"));
  const what = status >= 300 && status < 400 ? `it redirects, HTTP ${status}` : `HTTP ${status}`;
  return new AgentResponseError(origin, what, { status, ...(retryAfter !== undefined && { retryAfter }) });
}

/** JSON from a peer, within the depth that recursive code can take. */
export function parseJson(text: string, origin: string, status?: number): unknown {
  try {
    if (!isDeeperThan(DEEPEST, text)) return JSON.parse(text);
  } catch {
    // Said below, without the text: it may hold anything.
  }
  const what = /^\s*</.test(text) ? "a page of HTML or XML" : "no JSON, or too deep";
  throw new AgentResponseError(origin, what, status === undefined ? {} : { status });
}

function jsonOrNothing(text: string): unknown {
  try {
    return isDeeperThan(DEEPEST, text) ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Seconds or a date, in milliseconds from now. */
function retryAfterOf(header: string | null): number | undefined {
  if (header === null) return undefined;
  const milliseconds = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isFinite(milliseconds) ? Math.max(0, milliseconds) : undefined;
}
