const SESSION = "session/";
const RUN = "run/";
const WORKSPACE = "workspace/";
const MARKS = "marks/";

/** The stream that holds the record's own id. */
export const RECORD_STREAM = "record";

/** The stream of a session's events. */
export function sessionStream(sessionId: string): string {
  return SESSION + sessionId;
}

/** The session that a stream belongs to; undefined for other kinds of streams. */
export function sessionIdOf(stream: string): string | undefined {
  return stream.startsWith(SESSION) ? stream.slice(SESSION.length) : undefined;
}

/** The stream of what a run's agent sent; the holder of its lease owns the run. */
export function runStream(runId: string): string {
  return RUN + runId;
}

/** The stream of the marks beside a session, such as delivery receipts. */
export function markStream(sessionId: string): string {
  return MARKS + sessionId;
}

/** The stream of a workspace: which sessions were created, changed and deleted. */
export function workspaceStream(workspace: string): string {
  return WORKSPACE + workspace;
}

/** The workspace that a stream belongs to; undefined for other kinds of streams. */
export function workspaceOf(stream: string): string | undefined {
  return stream.startsWith(WORKSPACE) ? stream.slice(WORKSPACE.length) : undefined;
}
