import type { HttpBindings } from "@hono/node-server";
import type { Principal, RunRequest, SessionState, Sessions, StoredFile } from "@parley/sessions";

/** Which agent is asked for, by name or by skill. */
export interface RunChoice {
  readonly agent?: string | undefined;
  readonly skill?: string | undefined;
}

/** Decides which agent a message goes to: the one that is asked for, else the session's, else the supervisor. */
export interface Runs {
  newRun(
    principal: Principal,
    session: Pick<SessionState, "id" | "agent">,
    choice?: RunChoice,
  ): RunRequest | Promise<RunRequest>;
}

/** A file with its content. */
export interface UploadedFile {
  readonly name: string;
  readonly mediaType: string;
  readonly content: Uint8Array;
}

/** Uploaded files; each is visible only to the user who uploaded it. */
export interface Files {
  put(principal: Principal, file: UploadedFile): Promise<StoredFile>;
  /** Throws `CommandRefusedError` where the principal has no such file. */
  describe(principal: Principal, blob: string): Promise<StoredFile>;
  content(principal: Principal, blob: string): Promise<Uint8Array>;
}

/** An agent of the registry, as far as adapters show it. */
export interface AskableAgent {
  readonly name: string;
  readonly state: "starting" | "up" | "down";
  readonly enabled: boolean;
  readonly description?: string | undefined;
  readonly skills?:
    | readonly {
        readonly name: string;
        readonly description: string;
        readonly examples?: readonly string[] | undefined;
      }[]
    | undefined;
}

/** The sender of a request, as far as adapters need to know. */
export interface Caller {
  readonly role: "owner" | "editor" | "viewer";
  /** Aborts when they lose access, so that open streams end. */
  readonly ended?: AbortSignal;
}

/** What the server gives to every adapter. */
export interface AdapterHost {
  readonly sessions: Sessions;
  readonly runs: Runs;
  readonly files: Files;
  readonly agents: { list(principal: Principal): Promise<readonly AskableAgent[]> };
  /** The event streams that each user has open: `take` throws a `Problem` where there are too many. */
  readonly streams: { take(principal: Principal): Disposable };
  readonly limits: {
    readonly fileBytes: number;
    /** A client that reads nothing for this long is disconnected. */
    readonly stalledMs: number;
    /** How long a question that the client shows to its user may stay unanswered before the call ends with it. */
    readonly questionMs: number;
  };
  /** Aborts when this node shuts down: event streams end, and their readers reconnect elsewhere. */
  readonly draining: AbortSignal;
  readonly log: {
    error(about: object, message: string): void;
    warn(about: object, message: string): void;
  };
  readonly version: string;
  /** The server's public address, where a proxy is in front. */
  readonly publicUrl?: string | undefined;
  readonly securityHeaders: Readonly<Record<string, string>>;
  /** Waits until a large response may be built; disposing of the reservation lets the next one begin. */
  reserveAnswer(principal: Principal): Promise<Disposable>;
  /** A session with its messages and events, as `/api/v1` returns it. */
  readSession(principal: Principal, state: SessionState): Promise<object>;
  /** Notes in the audit log that a viewer was refused a tool. */
  noteRefusal(caller: Caller, target: string): void;
}

/** What the server sets on the context of every request. */
export interface AdapterEnvironment {
  Bindings: HttpBindings;
  Variables: { principal: Principal; identity: Caller };
}
