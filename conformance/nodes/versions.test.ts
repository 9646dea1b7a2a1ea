import { SERVER_SOURCE } from "@parley/testing/server-program.ts";
import { expect, it } from "vitest";
import { EventFollower } from "../sessions/testing/event-follower.ts";
import { newDatabase, RecordPlatform } from "../sessions/testing/record-platform.ts";
import { allSpeak, beginRuns, endedWell } from "./testing/many-runs.ts";
import { startPair } from "./testing/pair.ts";

/** A Parley whose schema has one more step: our own sources, with that step put in as they are loaded. */
const NEWER = (() => {
  const step =
    '{ sqlite: "", postgres: "ALTER TABLE streams ADD COLUMN colour text; CREATE TABLE later (id bigint)" },';
  const module = `
    import { registerHooks } from "node:module";
    registerHooks({
      load(url, context, next) {
        const loaded = next(url, context);
        if (!url.endsWith("/packages/journal/src/schema.ts")) return loaded;
        const source = String(loaded.source).replace(/(\\n {2}\\],\\n\\};)/, ${JSON.stringify(step)} + "$1");
        return { ...loaded, source };
      },
    });`;
  const environment = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(module)}` };
  return { environment, main: SERVER_SOURCE };
})();

it("a newer node migrates while an older one runs: both continue the same runs, and afterwards an older node refuses to start and says why (+12)", {
  timeout: 300_000,
}, async () => {
  const { first, second, database, pace, whole } = await startPair();
  const client = await new EventFollower(first.url).ready();
  const sessions = await beginRuns(first.api, 5);
  await allSpeak(client, sessions);
  await second.end();
  await second.restart(NEWER);
  sessions.push(...(await beginRuns(first.api, 1)), ...(await beginRuns(second.api, 1)));
  pace.hurry();
  for (const id of sessions) await endedWell(first.api, { id, whole });
  for (const id of sessions) await endedWell(second.api, { id, whole });

  await first.end();
  await expect(first.restart()).rejects.toThrow(
    `The Postgres database ${new URL(database).pathname.slice(1)} has schema version 4 of journal and this Parley knows only 3; start the newer Parley, or keep this one's data elsewhere`,
  );
  await first.restart(NEWER);
  for (const id of sessions) await endedWell(first.api, { id, whole });
});

it("two newer nodes that start concurrently migrate once", { timeout: 300_000 }, async () => {
  const database = await newDatabase("Postgres");
  const nodes = await Promise.all([
    RecordPlatform.start({}, { database, ...NEWER }),
    RecordPlatform.start({}, { database, ...NEWER }),
  ]);
  const id = await nodes[0]?.api.create({ title: "Both" });
  expect((await nodes[1]?.api.read(id ?? ""))?.session.title).toBe("Both");
});
