import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";

const soak = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(import.meta.dirname, "soak.ts"), ...args],
    {
      encoding: "utf8",
    },
  );
  return { status, stdout, stderr };
};

it("npm run soak stops a stage that exceeds its time, and reports it", () => {
  const { status, stdout } = soak("--minutes", "0.02", "cuts");
  expect(stdout).toMatch(/soak with PARLEY_SEED=\d+:\n {2}… cuts: time was up after 0\.\d min\n$/);
  expect(status).toBe(0);
});

it.each([["nonsense"], ["--minutes", "0"]])(
  "npm run soak lists its stages for the unknown argument %s",
  (...args) => {
    expect(soak(...args)).toMatchObject({ status: 2, stderr: expect.stringContaining("[kills] [fuzz]") });
  },
);
