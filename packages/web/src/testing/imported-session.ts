/** A line of an import: one event. */
export interface ImportedEvent {
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

const created: ImportedEvent = {
  type: "session_created",
  payload: { workspace: "w", owner: "o", title: "Imported" },
};

/** One exchange: a message, the agent's work, and its answer. */
export function exchange(
  number: number,
  { answer, work = [] }: { readonly answer: string; readonly work?: readonly ImportedEvent[] },
): readonly ImportedEvent[] {
  const runId = `run-${number}`;
  const of = (type: string, payload: object): ImportedEvent => ({ type, payload: { runId, ...payload } });
  const about = { agent: "supervisor", agentUrl: "http://127.0.0.1:1/", contextId: runId };
  return [
    { type: "user_message", payload: { messageId: `question-${number}`, content: `Question ${number}?` } },
    of("agent_start", { ...about, inputSnapshotHash: "h", messageId: `question-${number}` }),
    ...work.map(({ type, payload }) => of(type, payload)),
    of("agent_complete", { state: "completed", messageId: `answer-${number}`, content: answer }),
  ];
}

/** Puts a session onto a server that happened nowhere; where its page is. */
export async function importedSession(url: string, events: readonly ImportedEvent[]): Promise<string> {
  const content = [created, ...events].map((event) => JSON.stringify(event)).join("\n");
  const response = await fetch(`${url}/api/v1/sessions/import`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ content }),
  });
  if (!response.ok) throw new Error(`The import was refused: ${await response.text()}`);
  const { session } = (await response.json()) as { readonly session: { readonly id: string } };
  return `${url}/s/${session.id}`;
}
