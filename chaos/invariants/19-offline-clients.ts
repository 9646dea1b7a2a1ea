import { type Evidence, type OfflineClientEvidence, sessionsIn } from "../evidence/evidence.ts";
import { userMessages } from "./04-one-effect.ts";
import { messagesIn } from "./10-forks.ts";
import { difference, type Finding, findingOn, type Invariant, together } from "./invariant.ts";

/** A message written offline, or on a page that was killed, is in the record once, and in the end the page shows the record. */
export const offlineClients: Invariant = {
  id: "19",
  promise: "an offline client converges, and each queued send happens once",
  check: (evidence) =>
    together(
      ...evidence.offlineClients.flatMap((offlineClient) => [
        sentOnce(evidence, offlineClient),
        ...(offlineClient.wrote.length > 0 ? [convergence(evidence, offlineClient)] : []),
      ]),
    ),
};

function sentOnce(evidence: Evidence, { name, wrote }: OfflineClientEvidence): Finding {
  const byContent = Map.groupBy(userMessages(evidence), ({ content }) => content);
  return findingOn(wrote, ({ sessionId, messageId, content }) => {
    const found = byContent.get(content) ?? [];
    const [first] = found;
    if (found.length === 1 && first?.session === sessionId && first.id === messageId) return undefined;
    const what = `what ${name} wrote as ${messageId} is in the record ${found.length} times`;
    return { what, session: sessionId, expected: content, found: JSON.stringify(found) };
  });
}

function convergence(evidence: Evidence, { name, workspace, arrived }: OfflineClientEvidence): Finding {
  if (!arrived) return { checked: 1, violations: [{ what: `${name} never came to rest` }] };
  const recorded = sessionsIn(evidence);
  const rows = evidence.tables.live.sessions as readonly Readonly<Record<string, string>>[];
  const listed = rows
    .filter((row) => row.workspace === workspace && row.status === "active")
    .map((row) => `${row.session_id} ${row.title}`);
  const shown = arrived.list.map(({ id, title }) => `${id} ${title}`);
  return together(
    findingOn([arrived.queue], (queue) =>
      queue.length === 0
        ? undefined
        : { what: `${name} still has ${queue.length} commands to send`, found: JSON.stringify(queue) },
    ),
    findingOn(arrived.sessions, ({ id, messages }) => {
      const expected = JSON.stringify(messagesIn(recorded.get(id) ?? []));
      const found = JSON.stringify(messages);
      if (expected === found) return undefined;
      return {
        what: `${name} shows another conversation than the record has`,
        session: id,
        ...difference(expected, found),
      };
    }),
    findingOn([...new Set([...listed, ...shown])], (row) =>
      listed.includes(row) === shown.includes(row)
        ? undefined
        : {
            what: `${name} ${shown.includes(row) ? "lists what is not there" : "does not list"}`,
            found: row,
          },
    ),
  );
}
