import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Journal, openSqliteJournal } from "@parley/journal";
import { openPostgresJournal } from "@parley/journal/postgres";
import { freshDatabase } from "@parley/testing/fresh-database.ts";
import { testFolder } from "@parley/testing/test-folder.ts";
import { expect, inject, it, onTestFinished } from "vitest";
import { Sessions } from "../sessions.ts";
import { sessionTables } from "./tables/session-tables.ts";
import { ann } from "./testing/facade-moves.ts";
import type { KilledTask } from "./testing/post-until-killed.ts";
import { contentOf, rebuiltContent } from "./testing/rebuilt-tables.ts";

const KILLS = Math.ceil(Number(process.env.PARLEY_KILLS ?? 30) / 6);
const SESSIONS = ["s1", "s2", "s3"];
const PROGRAM = fileURLToPath(new URL("testing/post-until-killed.ts", import.meta.url));

/** What a process said that was killed in the middle of its work. */
async function killed(task: KilledTask): Promise<string[][]> {
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(task)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const said: string[][] = [];
  const lines = createInterface(child.stdout).on("line", (line) => said.push(line.split(" ")));
  const ended = once(child, "close");
  while (!said.some(([what]) => what === "acknowledged")) await once(lines, "line");
  await sleep(Math.random() * 200);
  child.kill("SIGKILL");
  await ended;
  return said;
}

async function killAgainAndAgain(where: KilledTask["where"], open: () => Promise<Journal>): Promise<void> {
  const begun = await open();
  for (const id of SESSIONS) await new Sessions(begun).execute(ann, id, { type: "create", ...ann });
  await begun.close();
  let acknowledged = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const said = await killed({ where, name: `k${kill}`, sessionIds: SESSIONS });
    const journal = await open();
    const sessions = new Sessions(journal);
    for (const [what = "", sessionId = "", id = ""] of said) {
      const before = (await sessions.state(ann, sessionId)).messages.filter((message) => message.id === id);
      if (what === "acknowledged") {
        expect(before, `${id} is lost`).toHaveLength(1);
        acknowledged++;
      }
      // Whoever heard nothing sends it again.
      const run = { runId: `${id}-again`, agent: "a", agentUrl: "http://a", contextId: id };
      const again = { type: "postMessage", messageId: `${id}-again`, content: id, run } as const;
      const { state, repeated = false } = await sessions.execute(ann, sessionId, again, { key: id });
      if (before.length > 0) expect(repeated).toBe(true);
      expect(state.messages.filter(({ content }) => content === id)).toHaveLength(1);
    }
    expect(await rebuiltContent(journal, SESSIONS, ["w"])).toEqual(await contentOf(journal.database));
    await journal.close();
  }
  expect(acknowledged).toBeGreaterThanOrEqual(KILLS);
}

it(`kill -9 loses no acknowledged message on SQLite, and sending again doubles none, ${KILLS} times (invariants 3, 4 and 11)`, async () => {
  const folder = await testFolder();
  await killAgainAndAgain({ folder }, () => openSqliteJournal({ folder, projections: sessionTables }));
}, 240_000);

it(`kill -9 loses no acknowledged message on Postgres, and sending again doubles none, ${KILLS} times (invariants 3, 4 and 11)`, async () => {
  const { url, drop } = await freshDatabase(inject("postgresUrl"));
  onTestFinished(drop);
  await killAgainAndAgain({ url }, () => openPostgresJournal({ url, projections: sessionTables }));
}, 240_000);
