import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { testFolder } from "@parley/testing/test-folder.ts";
import { onTestFinished } from "vitest";
import type { Judgement } from "../report.ts";

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));

/** The result of running the command. */
export interface ChaosRun {
  readonly exitCode: number;
  readonly report: string;
  /** The ids of the violated invariants. */
  readonly violated: readonly string[];
  /** The ids of the invariants that were not exercised. */
  readonly notExercised: readonly string[];
  readonly judgements: readonly Judgement[];
}

/** Runs the command in its own process and folder; both end with the test. */
export async function chaosRun(...args: readonly string[]): Promise<ChaosRun> {
  const folder = await testFolder();
  const child = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", MAIN, ...args, "--keep", folder],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill("SIGTERM");
    await gone;
  });
  const [[exitCode], report, errors] = await Promise.all([
    once(child, "exit"),
    text(child.stdout),
    text(child.stderr),
  ]);
  const judgements = judgementsIn(folder, errors);
  const idsOf = (wanted: string) =>
    judgements.filter(({ verdict }) => verdict === wanted).map(({ invariant }) => invariant.id);
  return {
    ...{ exitCode, report, judgements },
    violated: idsOf("violated"),
    notExercised: idsOf("not exercised"),
  };
}

function judgementsIn(folder: string, errors: string): Judgement[] {
  try {
    return JSON.parse(readFileSync(join(folder, "judgements.json"), "utf8"));
  } catch {
    throw new Error(`The run did not come to a judgement:\n${errors}`);
  }
}
