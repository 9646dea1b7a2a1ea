import type { CardFinding } from "../cards/card-findings.ts";

/** Any failure of a call that is not an error of the protocol; none carries a path, a header or a credential. */
export abstract class ClientError extends Error {
  abstract readonly code: string;
  override get name(): string {
    return this.constructor.name;
  }
}

/** The agent could not be reached, or the connection broke; `sent`: it may have received the request. */
export class AgentUnreachableError extends ClientError {
  readonly code = "agent_unreachable";
  readonly sent: boolean;
  constructor(origin: string, sent: boolean, cause: unknown) {
    const what = sent ? "the connection broke" : "nothing was sent";
    super(`${origin} cannot be reached (${what}): check that the agent runs there, then try again`, {
      cause,
    });
    this.sent = sent;
  }
}

/** The agent took too long, or the caller's deadline has passed; `sent` as above. */
export class AgentTimeoutError extends ClientError {
  readonly code = "agent_timeout";
  readonly sent: boolean;
  constructor(what: string, sent = true, cause?: unknown) {
    super(`${what}: try again, or allow it more time`, { cause });
    this.sent = sent;
  }
}

/** What came back is not A2A: another HTTP status, a page of HTML, broken JSON, or too much of it. */
export class AgentResponseError extends ClientError {
  readonly code = "agent_response";
  readonly status: number | undefined;
  /** The pause that the agent asks for, in milliseconds. */
  readonly retryAfter: number | undefined;
  constructor(origin: string, problem: string, about: { status?: number; retryAfter?: number } = {}) {
    super(`${origin} did not answer in A2A (${problem}): check the agent's URL and what stands before it`);
    this.status = about.status;
    this.retryAfter = about.retryAfter;
  }
}

/** The agent requires authentication, or refuses the given credentials. */
export class AuthenticationRequiredError extends ClientError {
  readonly code = "authentication_required";
  readonly status: number;
  readonly schemes: readonly string[];
  constructor(origin: string, status: number, schemes: readonly string[] = []) {
    const named = schemes.length > 0 ? ` for ${schemes.join(" or ")}` : "";
    const what = status === 403 ? "does not let these credentials do that" : "does not know the caller";
    super(`${origin} ${what} (HTTP ${status}): configure a valid credential${named}`);
    this.status = status;
    this.schemes = schemes;
  }
}

/** The card requires a credential that is not configured; nothing was sent. */
export class MissingCredentialError extends ClientError {
  readonly code = "missing_credential";
  readonly schemes: readonly string[];
  constructor(schemes: readonly string[]) {
    super(
      `The agent's card asks for ${schemes.join(" and ")}: configure a credential under the scheme's name`,
    );
    this.schemes = schemes;
  }
}

/** A credential that no header can carry, such as one with the end of a line; nothing was sent. */
export class InvalidCredentialError extends ClientError {
  readonly code = "invalid_credential";
  constructor(scheme: string) {
    super(`The credential for ${scheme} has characters that no header can carry: configure it without them`);
  }
}

export class TokenRequestError extends ClientError {
  readonly code = "token_request";
  constructor(scheme: string, reason: string, cause: unknown) {
    super(`No token for ${scheme} (${reason}): check its client id, secret, scopes and token URL`, { cause });
  }
}

/** The message may have arrived: sending it again may execute it twice. */
export class OutcomeUnknownError extends ClientError {
  readonly code = "outcome_unknown";
  readonly idempotencyKey: string;
  constructor(origin: string, idempotencyKey: string, cause: unknown) {
    super(
      `${origin} may have taken the message before the connection failed: look for its task before sending again`,
      { cause },
    );
    this.idempotencyKey = idempotencyKey;
  }
}

/** A stream broke and could not be resumed within the allowed attempts and time; the task itself continues. */
export class StreamLostError extends ClientError {
  readonly code = "stream_lost";
  readonly taskId: string;
  readonly cursor: string | undefined;
  constructor(taskId: string, cursor: string | undefined, cause: unknown) {
    const how = cursor === undefined ? "" : ` after ${cursor}`;
    super(`The stream of task ${taskId} was lost: subscribe to the task again${how}, or get it`, { cause });
    this.taskId = taskId;
    this.cursor = cursor;
  }
}

/** No card at any of its well-known places. */
export class NoAgentCardError extends ClientError {
  readonly code = "no_agent_card";
  readonly attempts: readonly string[];
  constructor(origin: string, attempts: readonly string[], cause?: unknown) {
    super(
      `${origin} publishes no agent card (${attempts.join("; ")}): give the agent's base URL or its card's`,
      {
        cause,
      },
    );
    this.attempts = attempts;
  }
}

/** The card has no endpoint in a binding and version that we support. */
export class NoUsableEndpointError extends ClientError {
  readonly code = "no_usable_endpoint";
  readonly findings: readonly CardFinding[];
  constructor(agent: string, problems: readonly string[], findings: readonly CardFinding[] = []) {
    const why = problems.length > 0 ? ` (${problems.join("; ")})` : "";
    super(
      `${agent} offers no interface that we speak${why}: it needs JSON-RPC, HTTP+JSON or gRPC in A2A 1.0, 0.3 or 0.1`,
    );
    this.findings = findings;
  }
}
