import { freshDatabase } from "@parley/testing/fresh-database.ts";
import { expect, inject, it } from "vitest";
import { readAll, upTo } from "../contract/journal-fixture.ts";
import type { RecordedEvent } from "../events/recorded-event.ts";
import { checkAcknowledged } from "./acknowledgements.ts";
import { Child } from "./child.ts";
import { openAt } from "./storage.ts";

it("invariants 1 and 15: two processes append to the same streams, a third follows them", {
  timeout: 180_000,
}, async () => {
  const { url, drop } = await freshDatabase(inject("postgresUrl"));
  const journal = await openAt({ url });
  const streams = ["a", "b"];
  for (const stream of streams) await journal.append(stream, ["<start>"]);
  const controller = new AbortController();
  const seen = new Map(streams.map((stream): [string, RecordedEvent[]] => [stream, []]));
  const followers = streams.map(async (stream) => {
    for await (const batch of journal.follow(stream, 0, controller.signal)) seen.get(stream)?.push(...batch);
  });

  const nodes = ["one", "two"].map(
    (name) => new Child("append-until-killed.ts", { where: { url }, name, streams, appends: 600 }),
  );
  expect(await Promise.all(nodes.map(({ ended }) => ended))).toEqual([0, 0]);
  const acknowledged = nodes.flatMap(({ lines }) => lines);
  expect(await checkAcknowledged(journal, acknowledged)).toBeGreaterThanOrEqual(1_200);

  for (const stream of streams) {
    const log = await readAll(journal, stream, 5_000);
    while ((seen.get(stream)?.length ?? 0) < log.length)
      await new Promise((resolve) => setTimeout(resolve, 20));
    expect(seen.get(stream)?.map(({ index }) => index)).toEqual(upTo(log.length));
    expect(seen.get(stream)?.map(({ json }) => json)).toEqual(log.map(({ json }) => json));
  }
  controller.abort();
  await Promise.all(followers);
  await journal.close();
  await drop();
});
