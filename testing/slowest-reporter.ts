import type {
  Reporter,
  SerializedError,
  TestCase,
  TestModule,
  TestRunEndReason,
  TestSuite,
  Vitest,
} from "vitest/node";

const shown = 10;

/** Prints the ten slowest tests and, alone on the last line, the counts; fails a run that left a test out. */
export class SlowestReporter implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(
    modules: readonly TestModule[],
    unhandledErrors: readonly SerializedError[],
    reason: TestRunEndReason,
  ): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const inState = (state: string) => tests.filter((test) => test.result().state === state);
    const skipped = inState("skipped");
    const lines = slowestFirst(tests).slice(0, shown).map(describeDuration);
    if (lines.length > 0) console.log(`\nslowest tests:\n${lines.join("\n")}`);
    const forbidden = this.#mustRunAll() ? skipped : [];
    if (forbidden.length > 0) {
      process.exitCode = 1;
      console.log(`\nskipped tests fail a run:\n${forbidden.map((test) => `  ${place(test)}`).join("\n")}`);
    }
    // A file that cannot be loaded and a hook that throws are failures too, and so is a run that found no test or
    // whose set-up failed: a red run never says "0 failed".
    const failures =
      inState("failed").length +
      modules.flatMap(failuresOutsideTests).length +
      unhandledErrors.length +
      forbidden.length;
    const failed = reason === "failed" ? Math.max(1, failures) : failures;
    const suffix = skipped.length > forbidden.length ? `, ${skipped.length} skipped` : "";
    console.log(`\ntests: ${inState("passed").length} passed, ${failed} failed${suffix}`);
  }

  // Elsewhere a test may be about Linux alone; with a name pattern every other test counts as skipped.
  #mustRunAll(): boolean {
    return process.platform === "linux" && !this.#vitest?.config.testNamePattern;
  }
}

function slowestFirst(tests: readonly TestCase[]): TestCase[] {
  return tests.filter((test) => test.diagnostic() !== undefined).sort((a, b) => seconds(b) - seconds(a));
}

function seconds(test: TestCase): number {
  return (test.diagnostic()?.duration ?? 0) / 1000;
}

function describeDuration(test: TestCase): string {
  return `  ${seconds(test).toFixed(2).padStart(6)} s  ${place(test)}`;
}

function place(test: TestCase): string {
  return `${test.module.relativeModuleId}  ${test.fullName}`;
}

function failuresOutsideTests(module: TestModule): (TestModule | TestSuite)[] {
  return [module, ...module.children.allSuites()].filter((suite) => suite.errors().length > 0);
}
