import { taskTables } from "@parley/a2a";
import { openPostgresJournal } from "@parley/journal/postgres";
import { freshDatabase } from "@parley/testing/fresh-database.ts";
import { expect, inject, it, onTestFinished } from "vitest";
import { startAgentProcess } from "./testing/agent-process.ts";
import { fuzzAgent } from "./testing/fuzz/fuzz-agent.ts";
import { startProofAgent } from "./testing/proof-agent.ts";
import { proofExecutor } from "./testing/proof-executor.ts";
import { taskOf, v1Speaker } from "./testing/speakers.ts";

/** `PARLEY_FUZZ=100000` for the long run; `PARLEY_SEED` repeats one that failed. */
const COUNT = Number(process.env.PARLEY_FUZZ ?? 20_000);
const SEED = Number(process.env.PARLEY_SEED ?? Date.now() % 1_000_000);
/** A request that turns out good makes a task, which the journal in memory keeps. */
const TASK_MB = 0.01;

it(`${COUNT} invalid requests cause no crash, no internal error and no slow answer; every error is in its dialect (seed ${SEED})`, {
  timeout: 180_000 + COUNT * 5,
}, async () => {
  const agent = await startAgentProcess();
  onTestFinished(() => agent.kill());
  expect(await fuzzAgent(agent, { count: COUNT, seed: SEED })).toEqual([]);
  expect(agent.complaints()).toBe("");
  expect(agent.residentMb()).toBeLessThan(300 + COUNT * TASK_MB);
});

it("the fuzzer reports a request whose cost is out of proportion to its size", async () => {
  const agent = await startAgentProcess();
  onTestFinished(() => agent.kill());
  let cpu = 0;
  const busy = { url: agent.url, grpcPort: agent.grpcPort, cpuMs: () => (cpu += 2_000) };
  const faults = await fuzzAgent(busy, { count: 24, seed: 1 });
  expect(faults.filter((fault) => /took 2000 ms of processor time for \d+ bytes/.test(fault))).not.toEqual(
    [],
  );
});

it("Postgres storage handles text that Postgres cannot store, in content and in forged page tokens", async () => {
  const { url, drop } = await freshDatabase(inject("postgresUrl"));
  onTestFinished(drop);
  const journal = await openPostgresJournal({ url, projections: taskTables });
  const agent = await startProofAgent({ executor: proofExecutor, journal });
  onTestFinished(() => agent.stop());
  const me = v1Speaker.at(agent.url);
  for (const text of ["\u0000", "\ud800", "x\udc00\u0000"]) {
    expect(taskOf(await me.send(text)).history).toEqual([text]);
  }
  const list = (place: unknown) => {
    const pageToken = Buffer.from(JSON.stringify(place)).toString("base64url");
    return fetch(`${agent.url}/a2a/rest/tasks?pageToken=${pageToken}`);
  };
  expect((await list([-1, ""])).status).toBe(200);
  for (const place of [[1.5, "x"], [1e300, "x"], [1, "\u0000"], ["1", "x"], {}, null]) {
    expect([place, (await list(place)).status]).toEqual([place, 400]);
  }
});
