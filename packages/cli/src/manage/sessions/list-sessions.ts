import type { ApiClient, Session, SessionStatus } from "@parley/client";
import { connected, type ServerOptions } from "../../server-address.ts";
import { oneLine } from "../../terminal/plain-text.ts";
import { printJson, printText, tell } from "../../terminal/print.ts";
import { shownTime } from "../../terminal/shown-time.ts";
import { table } from "../../terminal/table.ts";

const PAGE = 200;

export interface ListOptions extends ServerOptions {
  readonly limit: number;
  readonly status?: SessionStatus;
  readonly cursor?: string;
  readonly json?: boolean;
}

/** Prints the newest sessions, and how to see the ones before. */
export async function listSessions(options: ListOptions): Promise<void> {
  const { sessions, next } = await newest(await connected(options), options);
  if (options.json) return printJson({ sessions, next });
  if (sessions.length === 0) return tell("There are no sessions yet: parley chat begins one");
  const rows = sessions.map(({ id, title, updatedAt, status, metadata }) => [
    oneLine(id, 150),
    shownTime(updatedAt),
    status,
    String(metadata.messageCount),
    oneLine(title, 60),
  ]);
  await printText(table(["id", "updated", "status", "messages", "title"], rows));
  if (next !== null) tell(`There are more: --limit N shows more, --cursor '${next}' the next ones`);
}

async function newest(
  client: ApiClient,
  { limit, status, cursor: from }: ListOptions,
): Promise<{ readonly sessions: Session[]; readonly next: string | null }> {
  const sessions: Session[] = [];
  let cursor = from;
  for (;;) {
    const page = await client.listSessions({
      limit: Math.min(PAGE, limit - sessions.length),
      ...(status && { status }),
      ...(cursor !== undefined && { cursor }),
    });
    sessions.push(...page.sessions);
    if (page.next === null || sessions.length >= limit) return { sessions, next: page.next };
    cursor = page.next;
  }
}

/** Prints where something was said, the best first. */
export async function searchSessions(
  words: string,
  options: ServerOptions & { readonly limit: number; readonly json?: boolean },
): Promise<void> {
  const { hits } = await (await connected(options)).search(words, { limit: Math.min(100, options.limit) });
  if (options.json) return printJson({ hits });
  if (hits.length === 0) return tell(`Nothing was found for ${words}`);
  const rows = hits.map(({ sessionId, title, excerpt }) => [
    oneLine(sessionId, 150),
    oneLine(title, 40),
    oneLine(excerpt, 80),
  ]);
  await printText(table(["session", "title", "said"], rows));
}
