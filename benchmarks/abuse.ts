// npm run bench -- abuse [--minutes N] [--only ACTION,…] [--profile FOLDER]: how long another user waits for an answer while one editor
// does all that an editor may, at its limits: background runs, long histories, uploads, imports, searches, streams.
// The bar is for the 99th percentile, under attack against quiet, at the same server.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { makeFirstKey } from "@parley/server/keys";
import { Hop } from "./chain/hop.ts";
import { atMost, finish, median, percentile, print, progress, round } from "./report/bars.ts";

const MOST = 3;
const PAUSE_MS = 100;

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "5" },
    only: { type: "string" },
    profile: { type: "string" },
  },
});
const attackMs = Math.max(0.1, Number(values.minutes)) * 60_000;

const folder = mkdtempSync(join(tmpdir(), "parley-abuse-"));
const [data, agents] = [join(folder, "data"), join(folder, "agents")];
mkdirSync(agents);
const keyOf = async (owner: string) =>
  (
    await makeFirstKey(
      { dataFolder: data, databaseUrl: undefined },
      { name: owner, owner, workspace: "office", role: "editor" },
    )
  ).secret;
const [attacker, victim] = [await keyOf("mallory"), await keyOf("ann")];
const server = new Hop({
  program: "../packages/server/src/main.ts",
  environment: {
    ...{ PORT: "0", PARLEY_AUTH: "on", PARLEY_MODEL: "offline", PARLEY_AGENTS: agents, PARLEY_DATA: data },
  },
  profile: values.profile,
});

/** Milliseconds until one question is fully answered. */
async function answerTime(url: string): Promise<number> {
  const start = performance.now();
  const messages = [{ role: "user", content: `What is ${Math.random()}?` }];
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { Authorization: `Bearer ${victim}`, "Content-Type": "application/json" },
    body: JSON.stringify({ model: "supervisor", messages }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`The other user was refused: ${text}`);
  return performance.now() - start;
}

async function answerTimes(url: string, forMs: number): Promise<readonly number[]> {
  const times: number[] = [];
  for (const end = performance.now() + forMs; performance.now() < end; ) {
    times.push(await answerTime(url));
    await sleep(PAUSE_MS);
  }
  return times;
}

function shown(when: string, times: readonly number[]) {
  const figures = {
    median: round(median(times)),
    p99: round(percentile(times, 0.99)),
    most: round(Math.max(...times)),
  };
  print({ when, answers: times.length, milliseconds: figures });
  return figures;
}

try {
  const printed = await server.said(/(?<![\s\S])[\s\S]*^ {2}model/m);
  const url = /http:\/\/[\w.:]+/.exec(printed)?.[0] ?? "";
  await answerTimes(url, 3_000);
  progress("quiet");
  const quiet = shown("quiet", await answerTimes(url, Math.max(20_000, attackMs / 3)));
  progress("under attack");
  const only = values.only === undefined ? [] : [values.only];
  const editor = new Hop({ program: "abuse/abusive-editor.ts", args: [url, attacker, ...only] });
  const attacked = shown("attacked", await answerTimes(url, attackMs));
  print({ attack: await editor.ask({}) });
  await editor.stop();
  finish("abuse", [atMost("another user's p99 under attack, against quiet", attacked.p99 / quiet.p99, MOST)]);
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
