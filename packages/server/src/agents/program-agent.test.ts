import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { freePort } from "@parley/testing/free-ports.ts";
import { testFolder } from "@parley/testing/test-folder.ts";
import { expect, it } from "vitest";
import { agentFile, agentsFolder } from "../testing/agent-files.ts";
import { ServerProcess, takenPort } from "../testing/server-process.ts";

/** Serves a card with its process id, and ends when it is asked to. */
const PROGRAM = `
import { createServer } from "node:http";
createServer((request, response) => {
  if (request.url === "/die") { console.error("I am done for"); process.exit(7); }
  response.end(JSON.stringify({ name: "own", description: "Is a program.", pid: process.pid }));
}).listen(process.env.PORT, process.env.HOST);
`;

async function started(port: number, program = PROGRAM) {
  const agents = await agentsFolder({
    "own.md": agentFile("Is a program.", "program: { command: node, args: [own/main.mjs] }", `port: ${port}`),
    "other.md": agentFile("Is another."),
  });
  await mkdir(join(agents, "own"));
  await writeFile(join(agents, "own/main.mjs"), program);
  const server = new ServerProcess({
    PARLEY_DATA: await testFolder(),
    PARLEY_AGENTS: agents,
    PARLEY_MODEL: "offline",
  });
  await server.agentUrl("other");
  const state = async () => {
    const { checks } = JSON.parse(await (await fetch(`${await server.url()}/readyz`)).text());
    return checks.agents.own;
  };
  return { server, state };
}

async function pidAt(port: number): Promise<number | undefined> {
  const response = await fetch(`http://localhost:${port}/.well-known/agent-card.json`).catch(() => undefined);
  return response && ((await response.json()) as { pid: number }).pid;
}

it("a program agent is started on its port, restarted when it dies, and stopped with the platform (S4.27)", async () => {
  const port = await freePort();
  const { server, state } = await started(port);
  await expect.poll(state).toBe("up");
  const first = await pidAt(port);
  await fetch(`http://localhost:${port}/die`).catch(() => undefined);
  await expect
    .poll(state)
    .toEqual([
      "own has exited (it ended with exit code 7; its last output was: I am done for) and is being restarted",
    ]);
  await expect.poll(state, { timeout: 60_000 }).toBe("up");
  const second = await pidAt(port);
  expect(second).toBeGreaterThan(0);
  expect(second).not.toBe(first);
  await server.end();
  expect(await pidAt(port)).toBeUndefined();
});

it("a program agent that does not start reports why, and the others are not affected (S4.27)", async () => {
  const port = await freePort();
  const { state } = await started(port, 'console.error("no licence"); process.exit(3)');
  expect(await state()).toEqual([
    "own did not start: it ended with exit code 3; its last output was: no licence",
  ]);
  const taken = await takenPort();
  expect(await (await started(taken)).state()).toEqual([
    expect.stringContaining(`Port ${taken} is in use by another program`),
  ]);
});
