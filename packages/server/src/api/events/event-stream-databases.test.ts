import { type Journal, openSqliteJournal } from "@parley/journal";
import { openPostgresJournal } from "@parley/journal/postgres";
import { sessionTables } from "@parley/sessions";
import { freshDatabase } from "@parley/testing/fresh-database.ts";
import { testFolder } from "@parley/testing/test-folder.ts";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import type { ApiLimits } from "../api-options.ts";
import { ApiServer } from "../testing/api-server.ts";
import { EventReader } from "../testing/event-reader.ts";

type Database = "SQLite" | "Postgres";

/** Opens the journal as often as asked; only Postgres has room for more than one. */
async function opener(database: Database): Promise<() => Promise<Journal>> {
  const projections = sessionTables;
  if (database === "SQLite") {
    const folder = await testFolder();
    return () => openSqliteJournal({ folder, projections });
  }
  const { url, drop } = await freshDatabase(inject("postgresUrl"));
  onTestFinished(drop);
  return () => openPostgresJournal({ url, projections });
}

async function serve(journal: Journal, limits: Partial<ApiLimits> = {}): Promise<ApiServer> {
  const api = await ApiServer.start(limits, journal);
  onTestFinished(() => api.stop());
  return api;
}

function read(
  { url }: ApiServer,
  id: string,
  options: ConstructorParameters<typeof EventReader>[1] = {},
): EventReader {
  const reader = new EventReader(`${url}/api/v1/events?session_ids[]=${id}`, options);
  onTestFinished(() => reader.close());
  return reader;
}

const isReady = (reader: EventReader) => reader.received.length > 0;
const after = (cursor: string) => ({ headers: { "Last-Event-ID": cursor } });
const token = (runId: string, text: string) =>
  ({ type: "agent_token", runId, artifactId: "a", text }) as const;
const from = (first: number, count: number) => Array.from({ length: count }, (_, place) => first + place);

describe.each(["SQLite", "Postgres"] as const)("the event stream on %s", (database) => {
  it("resumes after any Last-Event-ID with the very next event, and resets one from the future (invariant 5)", async () => {
    const api = await serve(await (await opener(database))());
    const { id, runId } = await api.begun();
    const whole = read(api, id);
    await whole.until(isReady);
    for (let piece = 0; piece < 30; piece++) await api.brings(id, runId, [token(runId, `${piece}`)]);
    await whole.until((reader) => reader.events().length === 30);
    for (const [place, { id: cursor }] of whole.received.slice(1, 30).entries()) {
      const rest = read(api, id, after(cursor));
      await rest.until((reader) => reader.events().length === 29 - place);
      expect(rest.events()).toEqual(whole.events().slice(place + 1));
      rest.close();
    }
    const ahead = read(api, id, after(whole.lastId.replace(/.$/, "zzz")));
    await ahead.until((reader) => reader.received.length === 2);
    expect(ahead.received[1]).toMatchObject({ event: "reset", data: { sessionId: id, index: 33 } });
  });

  it("delivers one order to all readers, whichever nodes they and the writers use (invariant 15)", async () => {
    const open = await opener(database);
    const first = await serve(await open());
    const second = database === "Postgres" ? await serve(await open()) : first;
    const { id, runId } = await first.begun();
    const readers = from(0, 40).map((place) => read(place % 2 === 0 ? first : second, id));
    await Promise.all(readers.map((reader) => reader.until(isReady)));
    const renames = from(0, 20).map((place) =>
      second.ask("PATCH", `/api/v1/sessions/${id}`, { title: `Title ${place}` }),
    );
    for (const piece of from(0, 20)) await first.brings(id, runId, [token(runId, `${piece}`)]);
    await Promise.all(renames);
    await Promise.all(readers.map((reader) => reader.until((r) => r.events().length === 40)));
    const [one, ...others] = readers.map((reader) => JSON.stringify(reader.events()));
    expect(others.every((other) => other === one)).toBe(true);
    expect(readers[0]?.events().map(({ index }) => index)).toEqual(from(4, 40));
  });

  it("disconnects a slow consumer, which costs a bounded buffer and resumes by its cursor (invariant 16)", async () => {
    // Long enough that a busy machine does not make the quick reader a slow one.
    const api = await serve(await (await opener(database))(), { stalledMs: 2_000 });
    const { id, runId } = await api.begun();
    const opening = read(api, id);
    await opening.until(isReady);
    const start = opening.lastId;
    opening.close();
    const pieces = 600;
    const large = "x".repeat(20_000);
    for (let piece = 0; piece < pieces; piece += 20)
      await api.brings(
        id,
        runId,
        from(0, 20).map(() => token(runId, large)),
      );
    const stalled = read(api, id, { paused: true, ...after(start) });
    await stalled.until((reader) => reader.status === 200);
    // It is cut although it never hung up: what the sockets hold is all it gets.
    const quick = read(api, id, after(start));
    await quick.until((reader) => reader.events().length === pieces);
    quick.close();
    await expect.poll(() => api.connections(), { timeout: 60_000 }).toBe(0);
    stalled.resume();
    await stalled.closed;
    const got = stalled.events().length;
    expect(got).toBeLessThan(pieces);
    const rest = read(api, id, after(stalled.lastId || start));
    await rest.until((reader) => reader.events().length === pieces - got);
    const indices = [...stalled.events(), ...rest.events()].map(({ index }) => index);
    expect(indices).toEqual(from(4, pieces));
  }, 180_000);
});
