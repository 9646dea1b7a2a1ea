const SESSION = "session/";
const RUN = "run/";
const WORKSPACE = "workspace/";
const MARKS = "marks/";

/** The stream of the record itself, which says what it is known by. */
export const RECORD_STREAM = "record";

/** The stream of a session: its record. */
export function sessionStream(sessionId: string): string {
  return SESSION + sessionId;
}

/** The session that a stream is of; undefined: it is another kind of stream. */
export function sessionIdOf(stream: string): string | undefined {
  return stream.startsWith(SESSION) ? stream.slice(SESSION.length) : undefined;
}

/** The stream of a run: what its agent sent, as it came. Who has its lease owns the run. */
export function runStream(runId: string): string {
  return RUN + runId;
}

/** The stream beside a session that says what clients were told of it. */
export function markStream(sessionId: string): string {
  return MARKS + sessionId;
}

/** The stream of a workspace: which sessions came, changed and went, for those who keep a list. */
export function workspaceStream(workspace: string): string {
  return WORKSPACE + workspace;
}

/** The workspace that a stream is of; undefined: it is another kind of stream. */
export function workspaceOf(stream: string): string | undefined {
  return stream.startsWith(WORKSPACE) ? stream.slice(WORKSPACE.length) : undefined;
}
