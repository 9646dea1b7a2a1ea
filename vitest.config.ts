import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./testing/longest-first.ts";
import { SlowestReporter } from "./testing/slowest-reporter.ts";
import { testKinds } from "./testing/test-kinds.ts";

const kinds = testKinds(import.meta.dirname);
const propertySeed = "./testing/property-seed.ts";
const sharedSetup = [propertySeed, "./testing/leaves-no-trace.ts"];

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: { name: "isolated", include: [...kinds.isolated], pool: "forks", setupFiles: propertySeed },
      },
      {
        extends: true,
        test: {
          ...{ name: "shared", include: [...kinds.shared], pool: "forks", isolate: false },
          setupFiles: sharedSetup,
        },
      },
      {
        extends: true,
        test: {
          ...{ name: "pure", include: [...kinds.pure], pool: "threads", isolate: false },
          setupFiles: sharedSetup,
        },
      },
    ],
    // Most tests wait for a disk, a browser or a child process: a worker keeps about half a core busy.
    maxWorkers: Math.max(5, availableParallelism()),
    sequence: { sequencer: LongestFirst },
    // A busy machine must not fail a correct test; where a condition is met, patience costs nothing.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    unstubEnvs: true,
    globalSetup: "./testing/global-setup.ts",
    reporters: ["default", new SlowestReporter()],
    allowOnly: false,
    passWithNoTests: false,
  },
});
