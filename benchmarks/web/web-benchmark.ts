import type { Browser } from "playwright-core";

/** The environment of each part of the benchmark. */
export interface WebBenchmark {
  /** The platform's URL. */
  readonly url: string;
  readonly browser: Browser;
  readonly rounds: number;
}
