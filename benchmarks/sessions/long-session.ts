const TOKENS = 96;

/** The events of a session of `exchanges` times 100 events, as an export has them. */
export function longSession(exchanges: number): object[] {
  const created = { type: "session_created", payload: { workspace: "w", owner: "o", title: "Long" } };
  return [created, ...Array.from({ length: exchanges }, (_, n) => exchange(n)).flat()];
}

function exchange(n: number): object[] {
  const run = { runId: `run-${n}` };
  const piece = { ...run, artifactId: "answer" };
  const tokens = Array.from({ length: TOKENS }, (_, place) => `word-${n}-${place} `);
  const messageId = `question-${n}`;
  const about = { agent: "agent", agentUrl: "http://localhost", contextId: `context-${n}` };
  const end = { ...run, state: "completed", messageId: `answer-${n}`, content: tokens.join("") };
  return [
    { type: "user_message", payload: { messageId, content: `Question ${n}` } },
    { type: "agent_start", payload: { ...run, ...about, inputSnapshotHash: "hash", messageId } },
    { type: "agent_token_start", payload: { ...piece, channel: "answer" } },
    ...tokens.map((text) => ({ type: "agent_token", payload: { ...piece, text } })),
    { type: "agent_complete", payload: end },
  ];
}
