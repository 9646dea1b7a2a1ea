import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { BREAKS, type Break } from "./schedule/directed-faults.ts";

/** The command's options. */
export interface ChaosArguments {
  readonly seed: number;
  readonly lengthMs: number;
  /** The folder for logs, kept in any case. */
  readonly keep: string | undefined;
  /** A build that is broken on purpose, under the faults that show it. */
  readonly broken: Break | undefined;
}

/** Parses the command line; throws an error with a one-sentence message. */
export function readArguments(args: readonly string[]): ChaosArguments {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: "string" },
      minutes: { type: "string", default: "2" },
      keep: { type: "string" },
      broken: { type: "string" },
    },
  });
  return {
    seed: numberIn(values.seed ?? String(randomInt(1_000_000)), "--seed"),
    lengthMs: Math.round(numberIn(values.minutes, "--minutes") * 60_000),
    keep: values.keep,
    broken: breakIn(values.broken),
  };
}

function numberIn(text: string, name: string): number {
  const number = Number(text);
  if (text.trim() !== "" && Number.isFinite(number) && number >= 0) return number;
  throw new Error(`${name} must be a number, not ${JSON.stringify(text)}`);
}

function breakIn(text: string | undefined): Break | undefined {
  if (text === undefined) return undefined;
  const found = BREAKS.find((name) => name === text);
  if (found) return found;
  throw new Error(`--broken must be one of ${BREAKS.join(", ")}, not ${JSON.stringify(text)}`);
}
