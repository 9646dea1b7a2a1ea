import { freePort } from "@parley/testing/free-ports.ts";
import { freshDatabase } from "@parley/testing/fresh-database.ts";
import { testFolder } from "@parley/testing/test-folder.ts";
import { expect, inject, it, onTestFinished } from "vitest";
import { ServerProcess } from "../testing/server-process.ts";

it("a node that cannot reach its NATS server reports it once without the password, and is still ready (+12)", async () => {
  const { url: database, drop } = await freshDatabase(inject("postgresUrl"));
  onTestFinished(drop);
  const port = await freePort();
  const server = new ServerProcess({
    ...{ DATABASE_URL: database, PARLEY_DATA: await testFolder(), PARLEY_LOG: "debug" },
    PARLEY_NATS: `nats://me:canary-secret@127.0.0.1:${port}`,
  });
  const url = await server.url();
  const readiness = async () => {
    const answer = await fetch(`${url}/readyz`);
    const { checks } = (await answer.json()) as { checks: { hints?: string } };
    return [answer.status, checks.hints];
  };
  const trouble = `the NATS server at 127.0.0.1:${port} cannot be reached: start it, or correct its address`;
  await expect.poll(readiness, { timeout: 60_000 }).toEqual([200, `degraded: ${trouble}`]);
  expect(await (await fetch(`${url}/metrics`)).text()).toMatch(/^journal_hints 0$/m);
  const { code } = await server.end("SIGTERM");
  expect(code).toBe(0);
  expect(server.errors.split("hints of other nodes are not received")).toHaveLength(2);
  expect(server.output + server.errors).not.toContain("canary-secret");
}, 240_000);
