import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
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
    // Most tests wait for a disk or a child process, so even two cores are kept busy by three workers.
    maxWorkers: Math.max(3, availableParallelism()),
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
