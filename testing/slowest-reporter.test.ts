import { spawnSync } from "node:child_process";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { testFolder } from "./test-folder.ts";

const repository = join(import.meta.dirname, "..");
const config = `
import { SlowestReporter } from ${JSON.stringify(join(repository, "testing", "slowest-reporter.ts"))};
const globalSetup = process.env.FAILING_SETUP ? ["./set-up.ts"] : [];
export default { test: { globalSetup, reporters: ["default", new SlowestReporter()] } };
`;

async function runVitest(files: Record<string, string>, ...options: string[]) {
  const root = await testFolder({ "vitest.config.ts": config, ...files });
  await symlink(join(repository, "node_modules"), join(root, "node_modules"));
  const vitest = join(repository, "node_modules", "vitest", "vitest.mjs");
  const { status, stdout } = spawnSync(process.execPath, [vitest, "run", ...options], {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1" },
  });
  return { status, stdout, lastLine: stdout.trimEnd().split("\n").at(-1) };
}

function testFile(...tests: string[]): string {
  return `import { afterAll, it } from "vitest";\n${tests.join("\n")}\n`;
}

function counts(stdout: string): string[] | null {
  return stdout.match(/^tests: .*$/gm);
}

const pause = (name: string, milliseconds: number) =>
  `it("${name}", () => new Promise((resolve) => setTimeout(resolve, ${milliseconds})));`;

it("the reporter prints the ten slowest tests, slowest first, and the counts last", async () => {
  const names = Array.from({ length: 12 }, (_, index) => pause(`test ${index}`, index === 11 ? 3_000 : 10));
  const { status, stdout, lastLine } = await runVitest({ "a.test.ts": testFile(...names) });
  expect({ status, lastLine }).toEqual({ status: 0, lastLine: "tests: 12 passed, 0 failed" });
  const listed = [...stdout.matchAll(/^ +\d+\.\d\d s {2}a\.test\.ts {2}(.*)$/gm)].map((match) => match[1]);
  expect(listed).toHaveLength(10);
  expect(listed[0]).toBe("test 11");
});

it("the reporter counts failed tests, failed hooks and files that cannot be loaded", async () => {
  const { status, lastLine } = await runVitest({
    "a.test.ts": testFile(`it("fails", () => { throw new Error("no"); });`, pause("passes", 0)),
    "b.test.ts": testFile(pause("passes", 0), `afterAll(() => { throw new Error("no"); });`),
    "c.test.ts": `import "./missing.ts";`,
  });
  expect({ status, lastLine }).toEqual({ status: 1, lastLine: "tests: 2 passed, 3 failed" });
});

it("the reporter counts a run without any test as failed", async () => {
  const files = { "a.test.ts": testFile(pause("passes", 0)) };
  const { status, stdout } = await runVitest(files, "no-such-file");
  expect({ status, counts: counts(stdout) }).toEqual({ status: 1, counts: ["tests: 0 passed, 1 failed"] });
});

it("the reporter counts a failed setup as failed", async () => {
  vi.stubEnv("FAILING_SETUP", "yes");
  const files = {
    "a.test.ts": testFile(pause("passes", 0)),
    "set-up.ts": `export default () => { throw new Error("no"); };`,
  };
  const { status, stdout } = await runVitest(files);
  expect({ status, counts: counts(stdout) }).toEqual({ status: 1, counts: ["tests: 0 passed, 1 failed"] });
});

it.runIf(process.platform === "linux")(
  "the reporter fails a run that skipped a test without being asked to",
  async () => {
    const files = {
      "a.test.ts": testFile(pause("runs", 0), `it.skip("left", () => {});`, `it.todo("later");`),
    };
    const whole = await runVitest(files);
    expect(whole).toMatchObject({ status: 1, lastLine: "tests: 1 passed, 2 failed" });
    expect(whole.stdout).toMatch(
      /skipped tests fail a run:\n {2}a\.test\.ts {2}left\n {2}a\.test\.ts {2}later\n/,
    );
    const chosen = await runVitest(files, "-t", "runs");
    expect(chosen).toMatchObject({ status: 0, lastLine: "tests: 1 passed, 0 failed, 2 skipped" });
  },
);
