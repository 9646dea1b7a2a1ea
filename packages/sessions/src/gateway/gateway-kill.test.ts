import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openSqliteJournal } from "@parley/journal";
import { testFolder } from "@parley/testing/test-folder.ts";
import { expect, it } from "vitest";
import { sessionStream } from "../session-streams.ts";
import { ChildProgram } from "./testing/child-program.ts";
import { startAgent } from "./testing/gateway.ts";
import { joinedAnswer } from "./testing/joined-answer.ts";
import { JournalSessions } from "./testing/journal-sessions.ts";

const KILLS = Number(process.env.PARLEY_GATEWAY_KILLS ?? 4);
const RUNS = 8;
const PIECES = Array.from({ length: 200 }, (_, at) => `token ${at} 🧑‍🚀 `);
const WHOLE = PIECES.join("");

interface Seen {
  readonly id?: string;
  readonly index: number;
  readonly json: string;
  readonly idle?: number;
}

it(`invariants 2, 6, 7 and 9: ${RUNS} runs go on through ${KILLS} lives ended by kill −9, nothing lost or doubled, within 15 s`, {
  timeout: 60_000 + 20_000 * KILLS,
}, async () => {
  const folder = await testFolder();
  const agent = await startAgent({
    executor: {
      async execute(context) {
        const artifact = context.artifact({ name: "current_result" });
        for (const piece of PIECES) {
          await artifact.text(piece);
          await sleep(10 * KILLS, undefined, { signal: context.signal });
        }
        await artifact.close();
        return undefined;
      },
    },
  });
  const ids = Array.from({ length: RUNS }, (_, at) => `s${at}`);
  const cache = { NODE_COMPILE_CACHE: join(folder, "cache") };
  const seen: Seen[] = [];
  const life = (begin: readonly string[]) =>
    new ChildProgram("gateway-until-killed.ts", { folder, url: agent.url, begin, sessions: ids }, cache);
  const isToken = (line: string) => line.includes("agent_token");
  for (let kill = 0; kill < KILLS; kill++) {
    const gateway = life(kill === 0 ? ids : []);
    await gateway.printed(isToken);
    await sleep(Math.random() * 500);
    await gateway.kill();
    seen.push(...gateway.lines.map((line) => JSON.parse(line) as Seen));
  }
  const heads = await openRuns(folder);
  expect(heads.size).toBe(RUNS);
  const born = performance.now();
  const last = life([]);
  const isNew = (id: string) => (line: string) => {
    const event = JSON.parse(line) as Seen;
    return event.id === id && event.index > (heads.get(id) ?? 0) && isToken(line);
  };
  await Promise.all(ids.map((id) => last.printed(isNew(id))));
  expect(performance.now() - born).toBeLessThan(15_000);
  await last.printed((line) => line.includes("idle"));
  await last.kill();

  const journal = await openSqliteJournal({ folder });
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
});

/** The sessions with a run that has not ended, and how many events each has. */
async function openRuns(folder: string): Promise<ReadonlyMap<string, number>> {
  const journal = await openSqliteJournal({ folder });
  const open = await new JournalSessions(journal).open();
  const heads = open.map(
    async ({ sessionId }) => [sessionId, await journal.head(sessionStream(sessionId))] as const,
  );
  const found = new Map(await Promise.all(heads));
  await journal.close();
  return found;
}
