import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Journal, openSqliteJournal } from "@parley/journal";
import { openPostgresJournal } from "@parley/journal/postgres";
import { freshDatabase } from "@parley/testing/fresh-database.ts";
import { patient } from "@parley/testing/patient.ts";
import { testFolder } from "@parley/testing/test-folder.ts";
import { expect, inject, it, onTestFinished } from "vitest";
import { sessionStream } from "../session-streams.ts";
import { ChildProgram } from "./testing/child-program.ts";
import { startAgent } from "./testing/gateway.ts";
import { joinedAnswer } from "./testing/joined-answer.ts";
import { JournalSessions } from "./testing/journal-sessions.ts";

const KILLS = Number(process.env.PARLEY_GATEWAY_KILLS ?? 4);
const RUNS = 8;
/** A lease on Postgres is only free after a while, and the run must not have ended by then. */
const PAUSE_MS = { SQLite: 10, Postgres: 80 };
const PIECES = Array.from({ length: 200 }, (_, at) => `token ${at} 🧑‍🚀 `);
const WHOLE = PIECES.join("");

interface Seen {
  readonly id?: string;
  readonly index: number;
  readonly json: string;
  readonly idle?: number;
}

it.each([
  ["SQLite", KILLS],
  ["Postgres", Math.ceil(KILLS / 4)],
] as const)(
  "invariants 2, 6, 7 and 9 on %s: runs go on through lives ended by kill −9 (%i), nothing lost or doubled, within 15 s",
  {
    timeout: 180_000 + 30_000 * KILLS,
  },
  async (storage, kills) => {
    const place = await placeOf(storage);
    const agent = await startAgent({
      executor: {
        async execute(context) {
          const artifact = context.artifact({ name: "current_result" });
          for (const piece of PIECES) {
            await artifact.text(piece);
            await sleep(PAUSE_MS[storage] * kills, undefined, { signal: context.signal });
          }
          await artifact.close();
          return undefined;
        },
      },
    });
    const ids = Array.from({ length: RUNS }, (_, at) => `s${at}`);
    const cache = { NODE_COMPILE_CACHE: join(place.folder, "cache") };
    const seen: Seen[] = [];
    const life = (begin: readonly string[]) =>
      new ChildProgram("gateway-until-killed.ts", { ...place, url: agent.url, begin, sessions: ids }, cache);
    const isToken = (line: string) => line.includes("agent_token");
    for (let kill = 0; kill < kills; kill++) {
      const gateway = life(kill === 0 ? ids : []);
      await gateway.printed(isToken);
      await sleep(Math.random() * 500);
      await gateway.kill();
      seen.push(...gateway.lines.map((line) => JSON.parse(line) as Seen));
    }
    const heads = await openRuns(place);
    expect(heads.size).toBe(RUNS);
    const born = performance.now();
    const last = life([]);
    const isNew = (id: string) => (line: string) => {
      const event = JSON.parse(line) as Seen;
      return event.id === id && event.index > (heads.get(id) ?? 0) && isToken(line);
    };
    await Promise.all(ids.map((id) => last.printed(isNew(id))));
    expect(performance.now() - born).toBeLessThan(patient(15_000));
    await last.printed((line) => line.includes("idle"));
    await last.kill();

    const journal = await opened(place);
    const sessions = new JournalSessions(journal);
    for (const id of ids) {
      const events = await sessions.events(id);
      expect(joinedAnswer(events)).toBe(WHOLE);
      const ends = events.filter((event) => event.type === "agent_complete");
      expect(ends).toMatchObject([{ state: "completed", content: WHOLE }]);
      // What a follower saw in any life is what was recorded, byte for byte.
      for (const { index, json } of seen.filter((line) => line.id === id))
        expect(JSON.parse(json)).toEqual(events[index - 1]);
    }
    await journal.close();
  },
);

it("a run that was cancelled just before kill −9 is cancelled at its agent by the next life (invariant 12)", async () => {
  const place = await placeOf("SQLite");
  const stopped = Promise.withResolvers<void>();
  const agent = await startAgent({
    executor: {
      async execute(context) {
        await context.artifact().text("Working");
        await new Promise<void>((resolve) => context.signal.addEventListener("abort", () => resolve()));
        stopped.resolve();
        return undefined;
      },
    },
  });
  const task = { ...place, url: agent.url, sessions: ["s1"] };
  const first = new ChildProgram("gateway-until-killed.ts", { ...task, begin: ["s1"], cancel: "s1" });
  await first.ended;
  const second = new ChildProgram("gateway-until-killed.ts", { ...task, begin: [] });
  await stopped.promise;
  await second.printed((line) => line.includes("idle"));
  await second.kill();
  const journal = await opened(place);
  const events = await new JournalSessions(journal).events("s1");
  await journal.close();
  expect(events.at(-1)).toMatchObject({ type: "agent_cancelled", content: "Working" });
});

interface Place {
  readonly folder: string;
  readonly postgres?: string;
}

async function placeOf(storage: "SQLite" | "Postgres"): Promise<Place> {
  const folder = await testFolder();
  if (storage === "SQLite") return { folder };
  const { url, drop } = await freshDatabase(inject("postgresUrl"));
  onTestFinished(drop);
  return { folder, postgres: url };
}

function opened({ folder, postgres }: Place): Promise<Journal> {
  return postgres ? openPostgresJournal({ url: postgres }) : openSqliteJournal({ folder });
}

/** The sessions with a run that has not ended, and how many events each has. */
async function openRuns(place: Place): Promise<ReadonlyMap<string, number>> {
  const journal = await opened(place);
  const open = await new JournalSessions(journal).open();
  const heads = open.map(
    async ({ sessionId }) => [sessionId, await journal.head(sessionStream(sessionId))] as const,
  );
  const found = new Map(await Promise.all(heads));
  await journal.close();
  return found;
}
