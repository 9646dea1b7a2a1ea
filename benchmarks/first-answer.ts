// npm run bench -- first-answer [--rounds N]: from `npm start`, after the installation, to the first answered question.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { freePortRange } from "@parley/testing/free-ports.ts";
import { StartedPlatform } from "./first-answer/started-platform.ts";
import { atMost, finish, median, print, progress, round } from "./report/bars.ts";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "3" } } });
const rounds = Math.max(1, Number(values.rounds) || 3);
/** The platform's own port and those of its agents. */
const PORTS = 10;

progress("a start that builds the web client, as the installation's first one does");
await measure();
const seconds: number[] = [];
for (let n = 0; n < rounds; n++) {
  progress(`start ${n + 1} of ${rounds}, with an empty data folder`);
  const figures = await measure();
  print(figures);
  seconds.push(figures.answeredSeconds);
}
finish("first-answer", [atMost("seconds from npm start to the first answered question", median(seconds), 5)]);

async function measure(): Promise<{ readySeconds: number; answeredSeconds: number }> {
  const folder = mkdtempSync(join(tmpdir(), "parley-first-answer-"));
  const began = performance.now();
  const passed = () => round((performance.now() - began) / 1_000);
  const platform = new StartedPlatform(await freePortRange(PORTS), folder);
  try {
    await platform.ready();
    const readySeconds = passed();
    const answer = await platform.answerTo("show argocd version");
    if (!answer.includes("v3.1.8")) throw new Error(`It answered: ${answer}`);
    return { readySeconds, answeredSeconds: passed() };
  } finally {
    await platform.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
