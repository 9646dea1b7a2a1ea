import type { DomainEvent, DomainMessage, Run, Session } from "@parley/client";
import { allItems } from "../../pages.ts";
import { connect, type PrintOptions } from "../../server-address.ts";
import { oneLine, plainText } from "../../terminal/plain-text.ts";
import { printJson, printText, styled } from "../../terminal/print.ts";
import { shownDuration, shownTime } from "../../terminal/shown-time.ts";
import { table } from "../../terminal/table.ts";
import { sessionId } from "./session-id.ts";

export interface ShowOptions extends PrintOptions {
  readonly events?: boolean;
}

/** Prints a session: its messages, runs, forks, and its events if requested. */
export async function showSession(given: string, options: ShowOptions): Promise<void> {
  const client = await connect(options);
  const id = await sessionId(client, given);
  const { session, messages } = await client.readSession(id);
  const newestFirst = await allItems(
    (query) => client.listRuns({ sessionId: id, limit: 100, ...query }),
    (page) => page.runs,
  );
  const runs = newestFirst.reverse();
  const readEvents = (query: object) => client.listEvents(id, { limit: 1_000, ...query });
  const events = options.events ? await allItems(readEvents, (page) => page.events) : undefined;
  if (options.json) return printJson({ session, messages, runs, ...(events && { events }) });
  await printText(
    [
      heading(session),
      ...messages.map(messageText),
      ...(runs.length > 0 ? ["\n", table(["run", "agent", "status", "took", ""], runs.map(runRow))] : []),
      ...(session.children ?? []).map(
        (fork) =>
          `\nfork  ${oneLine(fork.id, 150)}  after ${fork.messages} messages (${oneLine(fork.reason)})\n`,
      ),
      ...(events ? ["\n", ...events.map(eventLine)] : []),
    ].join(""),
  );
}

function heading({ id, title, status, createdAt, revision, parentId }: Session): string {
  const facts = [id, status, shownTime(createdAt), `${revision} events`];
  const parent = parentId === undefined ? [] : [`forked from ${parentId}`];
  return `${styled("bold", oneLine(title, 200) || "(no title)")}\n${oneLine([...facts, ...parent].join(" · "), 400)}\n`;
}

function messageText({ id, role, content, timestamp, metadata }: DomainMessage): string {
  const who = role === "user" ? "you" : (metadata.agent ?? role);
  const calls = (metadata.toolCalls ?? []).map(
    ({ name, outcome }) => `  ${styled("dim", `· ${oneLine(name, 80)} ${outcome ?? ""}`.trimEnd())}\n`,
  );
  const files = (metadata.files ?? []).map(({ name }) => `  ${styled("dim", `· ${oneLine(name, 80)}`)}\n`);
  const text = plainText(content).replaceAll(/^/gm, "  ");
  const head = `${styled("bold", oneLine(who, 64))}  ${styled("dim", `${shownTime(timestamp)}  ${oneLine(id, 150)}`)}`;
  return `\n${head}\n${text}\n${calls.join("")}${files.join("")}`;
}

function runRow({ id, agent, status, startedAt, completedAt, reason }: Run): string[] {
  const took = startedAt && completedAt ? Date.parse(completedAt) - Date.parse(startedAt) : Number.NaN;
  return [
    oneLine(id, 150),
    oneLine(agent, 64),
    status,
    took >= 0 ? shownDuration(took) : "",
    oneLine(reason ?? "", 200),
  ];
}

function eventLine({ index, timestamp, type, payload }: DomainEvent): string {
  return `${String(index).padStart(6)}  ${timestamp}  ${type}  ${styled("dim", oneLine(JSON.stringify(payload), 120))}\n`;
}
