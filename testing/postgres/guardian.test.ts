import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { globSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { Client } from "pg";
import { expect, it, onTestFinished, vi } from "vitest";
import { postgresTestFolder } from "../test-folder.ts";

const module = new URL("../postgres-server.ts", import.meta.url).href;
const start = `import { startPostgres } from ${JSON.stringify(module)}; const server = await startPostgres({ source: "embedded" });`;

async function runProgram(code: string) {
  const temporary = postgresTestFolder();
  const program: ChildProcessByStdio<null, Readable, null> = spawn(
    process.execPath,
    ["--input-type=module", "--eval", code],
    { env: { ...process.env, TMPDIR: temporary }, stdio: ["ignore", "pipe", "inherit"] },
  );
  onTestFinished(() => void program.kill("SIGKILL"));
  return { program, temporary };
}

async function expectNothingLeft(temporary: string) {
  await vi.waitFor(async () => expect(await readdir(temporary)).toEqual([]), {
    timeout: 60_000,
    interval: 50,
  });
}

it("the guardian stops the server and removes its data when its program is killed with -9", async () => {
  const { program, temporary } = await runProgram(
    `${start} console.log(server.url); setInterval(() => {}, 1_000);`,
  );
  const [url] = await once(program.stdout.setEncoding("utf8"), "data");
  const client = new Client({ connectionString: url.trim() });
  const cut = new Promise((resolve) => client.on("error", resolve));
  await client.connect();
  program.kill("SIGKILL");
  await cut;
  await expectNothingLeft(temporary);
});

it("the guardian leaves nothing behind when its program is killed during startup", async () => {
  const { program, temporary } = await runProgram(start);
  const dataFolders = () => globSync(join(temporary, "*", "data"));
  await vi.waitFor(() => expect(dataFolders()).toHaveLength(1), { timeout: 60_000, interval: 5 });
  program.kill("SIGKILL");
  await expectNothingLeft(temporary);
});

it("a program that forgot to stop its server can exit", async () => {
  const { program, temporary } = await runProgram(start);
  expect(await once(program, "exit")).toEqual([0, null]);
  await expectNothingLeft(temporary);
});
