import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { systemTool } from "@parley/testing/system-tool.ts";

/** The wall clock of one process, which can be set wrong while it runs; time goes on at its pace. */
export class ShiftedClock {
  readonly environment: Readonly<Record<string, string>>;
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
    this.shift(0);
    this.environment = {
      LD_PRELOAD: library(),
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: "1",
      // Timers and leases go by this one, and no operator sets it.
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
    };
  }

  shift(offsetMs: number): void {
    writeFileSync(this.#file, `${offsetMs < 0 ? "-" : "+"}${Math.abs(offsetMs) / 1_000}\n`);
  }
}

let found: string | undefined;

/** The tool itself only sets this variable, and stands between us and the process that we want to kill. */
function library(): string {
  found ??= execFileSync(systemTool("faketime"), ["-f", "+0", "env"], { encoding: "utf8" })
    .split("\n")
    .find((line) => line.startsWith("LD_PRELOAD="))
    ?.slice("LD_PRELOAD=".length);
  if (found === undefined) throw new Error("faketime does not say which library it uses");
  return found;
}
