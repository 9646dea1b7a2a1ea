const TOKENS = 96;

/** An export of a session of `exchanges` times 100 events: a question, an answer token by token, its end. */
export function longSession(exchanges: number): string {
  const lines = [line("session_created", { workspace: "w", owner: "o", title: "Long" })];
  for (let n = 0; n < exchanges; n++) lines.push(...exchange(n));
  return lines.join("\n");
}

function exchange(n: number): string[] {
  const run = { runId: `run-${n}` };
  const piece = { ...run, artifactId: "answer" };
  const tokens = Array.from({ length: TOKENS }, (_, place) => `word-${n}-${place} `);
  const question = { messageId: `question-${n}`, content: `Question ${n}` };
  const about = { agent: "agent", agentUrl: "http://localhost", contextId: `context-${n}` };
  return [
    line("user_message", question),
    line("agent_start", { ...run, ...about, inputSnapshotHash: "hash", messageId: question.messageId }),
    line("agent_token_start", { ...piece, channel: "answer" }),
    ...tokens.map((text) => line("agent_token", { ...piece, text })),
    line("agent_complete", {
      ...{ ...run, state: "completed", messageId: `answer-${n}`, content: tokens.join("") },
    }),
  ];
}

function line(type: string, payload: object): string {
  return JSON.stringify({ type, payload });
}
