import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freshDatabase } from "@parley/testing/fresh-database.ts";
import { describe, expect, inject, it } from "vitest";
import { checkAcknowledged } from "./acknowledgements.ts";
import { Child } from "./child.ts";
import { openAt, type Where } from "./storage.ts";

const KILLS = Number(process.env.PARLEY_KILLS ?? 30);
const STREAMS = ["a", "b", "c"];

async function killAgainAndAgain(where: Where): Promise<void> {
  let acknowledged = 0;
  for (let kill = 1; kill <= KILLS; kill++) {
    const streams = STREAMS.map((stream) => `${stream}-${Math.floor(kill / 5)}`);
    const child = new Child("append-until-killed.ts", { where, name: `child${kill}`, streams });
    await child.printed(1);
    await sleep(Math.random() * 120);
    await child.kill();
    const journal = await openAt(where);
    acknowledged += await checkAcknowledged(journal, child.lines);
    await journal.close();
  }
  expect(acknowledged).toBeGreaterThan(KILLS);
}

describe("invariants 1 and 3: kill -9 of the writer", () => {
  it(`loses nothing that SQLite acknowledged, in ${KILLS} kills`, { timeout: 60_000 * KILLS }, async () => {
    const folder = await mkdtemp(join(tmpdir(), "parley-kill-"));
    await killAgainAndAgain({ folder });
    await rm(folder, { recursive: true });
  });

  it(`loses nothing that Postgres acknowledged, in ${KILLS} kills`, { timeout: 60_000 * KILLS }, async () => {
    const { url, drop } = await freshDatabase(inject("postgresUrl"));
    await killAgainAndAgain({ url });
    await drop();
  });
});
