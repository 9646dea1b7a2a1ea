import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./testing/longest-first.ts";
import { SlowestReporter } from "./testing/slowest-reporter.ts";

export default defineConfig({
  test: {
    include: [
      "packages/*/src",
      "launcher",
      "testing",
      "benchmarks",
      "chaos",
      "conformance",
      "examples",
      "mcp-servers",
      "tools",
    ].map((folder) => `${folder}/**/*.test.ts`),
    pool: "forks",
    // Most tests wait for a disk, a browser or a child process: a worker keeps about half a core busy.
    maxWorkers: Math.max(4, availableParallelism()),
    sequence: { sequencer: LongestFirst },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A condition is waited for as long as a busy machine needs; where it is met, that costs nothing.
    expect: { poll: { timeout: 20_000 } },
    unstubEnvs: true,
    globalSetup: "./testing/global-setup.ts",
    reporters: ["default", new SlowestReporter()],
    allowOnly: false,
    passWithNoTests: false,
  },
});
