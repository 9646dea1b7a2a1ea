import type { Browser } from "playwright-core";

/** What each part of the benchmark measures on. */
export interface WebBenchmark {
  /** Where the platform is. */
  readonly url: string;
  readonly browser: Browser;
  readonly rounds: number;
}
