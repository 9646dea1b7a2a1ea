import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { bareEnvironment } from "@parley/testing/bare-environment.ts";
import { onTestFinished } from "vitest";

const MAIN = fileURLToPath(new URL("../../../packages/cli/src/main.ts", import.meta.url));

/** The output of the command. */
export interface DoctorRun {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

/** One check in the `--json` report. */
export interface ReportedCheck {
  readonly id: string;
  readonly title: string;
  readonly severity: string;
  readonly outcome: "pass" | "fail" | "warn" | "not-applicable";
  readonly verdicts: readonly {
    readonly way?: string;
    readonly outcome: string;
    readonly detail: string;
    readonly evidence: readonly { readonly request: string; readonly answer: string }[];
  }[];
}

/** The doctor's report on an agent. */
export interface Diagnosis extends DoctorRun {
  readonly checks: readonly ReportedCheck[];
  readonly requests: number;
  /** The ids of the checks with this outcome. */
  ids(outcome: ReportedCheck["outcome"]): string[];
  /** The findings of a check, with their bindings. */
  found(id: string): string;
}

/** Runs `parley doctor` with these arguments, in a process of its own. */
export async function runDoctor(...args: readonly string[]): Promise<DoctorRun> {
  const child = spawn(process.execPath, [MAIN, "doctor", ...args], {
    env: { ...bareEnvironment(), NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let [output, errors] = ["", ""];
  child.stdout.on("data", (text) => {
    output += text;
  });
  child.stderr.on("data", (text) => {
    errors += text;
  });
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, output, errors };
}

/** The doctor's whole diagnosis of the agent at this URL. */
export async function examined(url: string, ...args: readonly string[]): Promise<Diagnosis> {
  const run = await runDoctor(url, "--json", ...args);
  if (run.output === "") throw new Error(`The doctor said nothing (${run.code}): ${run.errors}`);
  const { checks, requests } = JSON.parse(run.output) as Pick<Diagnosis, "checks" | "requests">;
  return {
    ...run,
    checks,
    requests,
    ids: (outcome) => checks.filter((it) => it.outcome === outcome).map(({ id }) => id),
    found(id) {
      const { verdicts = [] } = checks.find((it) => it.id === id) ?? {};
      const bad = verdicts.filter(({ outcome }) => outcome === "fail" || outcome === "warn");
      return bad.map(({ way = "agent", detail }) => `${way}: ${detail}`).join("\n");
    },
  };
}
