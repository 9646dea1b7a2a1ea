/** An export of a session with so many events: questions, each with an answer of two hundred words. */
export function longSession(events: number): string {
  const lines: string[] = [];
  const add = (type: string, payload: object) => lines.push(JSON.stringify({ type, payload }));
  add("session_created", { workspace: "w", owner: "o", title: "A long session" });
  for (let turn = 1; lines.length < events; turn++) {
    const of = { runId: `run-${turn}`, artifactId: `answer-${turn}` };
    const messageId = `msg-${turn}`;
    add("user_message", { messageId, content: `Question ${turn}` });
    add("agent_start", {
      ...{
        runId: of.runId,
        agent: "files",
        agentUrl: "http://localhost/files",
        contextId: `context-${turn}`,
      },
      ...{ inputSnapshotHash: "none", messageId },
    });
    add("agent_token_start", { ...of, channel: "answer" });
    const words = Array.from({ length: 200 }, (_, at) => `word ${at}${at % 10 === 9 ? ".\n\n" : ", "}`);
    for (const text of words) add("agent_token", { ...of, text });
    add("agent_token_end", of);
    add("agent_complete", {
      ...{ runId: of.runId, state: "completed", messageId: `said-${turn}`, content: words.join("") },
    });
  }
  return lines.slice(0, events).join("\n");
}
