import { text } from "node:stream/consumers";
import { ApiError, type Session, type SessionStatus } from "@parley/client";
import { CommandError, EXIT } from "../../command-error.ts";
import { defined } from "../../defined.ts";
import { readGivenFile, writeGivenFile } from "../../given-file.ts";
import { pages } from "../../pages.ts";
import { connect, type PrintOptions, type ServerOptions } from "../../server-address.ts";
import { oneLine, plainText } from "../../terminal/plain-text.ts";
import { printJson, printText, tell } from "../../terminal/print.ts";
import { printList } from "../../terminal/print-list.ts";
import { shownTime } from "../../terminal/shown-time.ts";
import { sessionId } from "./session-id.ts";

const MAX_PAGE = 200;

export interface ListOptions extends PrintOptions {
  readonly limit: number;
  readonly status?: SessionStatus;
  readonly cursor?: string;
}

export interface ForkOptions extends PrintOptions {
  readonly at?: string;
  readonly event?: number;
  readonly title?: string;
}

export interface ExportOptions extends ServerOptions {
  readonly format: "jsonl" | "markdown";
  readonly output?: string;
}

/** Prints the newest sessions, and how to see more. */
export async function listSessions(options: ListOptions): Promise<void> {
  const { limit, status, cursor } = options;
  const client = await connect(options);
  const sessions: Session[] = [];
  let next: string | null = null;
  const read = (query: { readonly cursor?: string }) =>
    client.listSessions({
      limit: Math.min(MAX_PAGE, limit - sessions.length),
      ...defined({ status }),
      ...query,
    });
  for await (const page of pages(read, cursor)) {
    sessions.push(...page.sessions);
    next = page.next;
    if (sessions.length >= limit) break;
  }
  const rows = sessions.map(({ id, title, updatedAt, status: state, metadata }) => [
    oneLine(id, 150),
    shownTime(updatedAt),
    state,
    String(metadata.messageCount),
    oneLine(title, 60),
  ]);
  const head = ["id", "updated", "status", "messages", "title"];
  const empty = "No conversations yet; start one with: parley chat";
  await printList(options, { sessions, next }, { head, rows, empty });
  if (!options.json && next !== null) tell(`More: use --limit N, or --cursor '${next}' for the next page`);
}

/** Prints search results, best first. */
export async function searchSessions(
  words: string,
  options: PrintOptions & { readonly limit: number },
): Promise<void> {
  const { hits } = await (await connect(options)).search(words, { limit: Math.min(100, options.limit) });
  const rows = hits.map(({ sessionId: id, title, excerpt }) => [
    oneLine(id, 150),
    oneLine(title, 40),
    oneLine(excerpt, 80),
  ]);
  await printList(
    options,
    { hits },
    { head: ["session", "title", "text"], rows, empty: `No results for ${words}` },
  );
}

/** Forks a session and prints the id of the fork. */
export async function forkSession(given: string, options: ForkOptions): Promise<void> {
  const { at: messageId, event: eventIndex, title } = options;
  const client = await connect(options);
  const id = await sessionId(client, given);
  const forked = await client.forkSession(id, defined({ messageId, eventIndex, title }));
  await (options.json ? printJson(forked) : printText(forked.session.id));
}

/** Deletes a session, or restores a deleted one. */
export async function removeSession(
  given: string,
  change: "delete" | "restore",
  options: ServerOptions,
): Promise<void> {
  const client = await connect(options);
  const id = await sessionId(client, given, { deleted: change === "restore" });
  if (change === "restore") {
    await client.restoreSession(id);
    return tell(`Restored ${id}`);
  }
  await client.deleteSession(id);
  tell(`Deleted ${id}; undo within 30 days with: parley sessions restore ${id}`);
}

/** Writes a session to standard output or to a new file. */
export async function exportSession(given: string, options: ExportOptions): Promise<void> {
  const { format, output } = options;
  const client = await connect(options);
  const exported = await client.exportSession(await sessionId(client, given), format);
  // A terminal must not act on the content; files and pipes get it unchanged.
  if (output === undefined) return printText(process.stdout.isTTY ? plainText(exported) : exported);
  await writeGivenFile(output, exported, "wx");
  tell(`Exported to ${output}`);
}

/** Imports an exported session and prints its new id. */
export async function importSession(file: string, options: PrintOptions): Promise<void> {
  const content = file === "-" ? await text(process.stdin) : await readGivenFile(file);
  if (content.trim() === "")
    throw new CommandError(`${file} is empty; import a file from "parley sessions export"`, EXIT.usage);
  const client = await connect(options);
  const imported = await client.importSession({ content }).catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.status !== 422) throw error;
    throw new CommandError(
      `${file} is not an exported session: ${error.fields[0]?.message ?? error.message}`,
    );
  });
  await (options.json ? printJson(imported) : printText(imported.session.id));
}
