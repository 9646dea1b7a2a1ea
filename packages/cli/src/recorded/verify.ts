import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ModelError, openModel } from "@parley/models";
import { readConfiguration, StartError } from "@parley/server";
import { CommandError, EXIT, type ExitCode, withUserErrors } from "../command-error.ts";
import { fileErrorReason, fromHere, writeGivenFile } from "../given-file.ts";
import { untilInterrupted } from "../terminal/interruption.ts";
import { oneLine, plainText } from "../terminal/plain-text.ts";
import { printJson, printText, styled, tell } from "../terminal/print.ts";
import { ProgressLine } from "../terminal/progress-line.ts";
import type { Aspect, Difference } from "./difference.ts";
import { summary } from "./record.ts";
import {
  type RecordedTurn,
  type Recording,
  readRecording,
  UnreadableRecordingError,
  writtenRecording,
} from "./recording.ts";
import { type DiffStyle, textDiff } from "./text-diff.ts";
import { verifyRecording } from "./verify-recording.ts";

export interface VerifyOptions {
  readonly model?: string;
  readonly agents?: string;
  readonly ignore: readonly Aspect[];
  readonly timeout: number;
  readonly update?: boolean;
  readonly json?: boolean;
}

type Report =
  | {
      readonly file: string;
      readonly same: boolean;
      readonly differences: readonly Difference[];
      readonly updated?: true;
    }
  | { readonly file: string; readonly unreadable: string };

/** Verifies files one after the other and reports each; the exit code is 2 if one is unreadable, 1 if one differs. */
export async function verify(files: readonly string[], options: VerifyOptions): Promise<ExitCode> {
  await checkModel(options.model);
  using interrupted = untilInterrupted();
  const reports: Report[] = [];
  for (const file of files) reports.push(await verifyFile(file, options, interrupted.signal));
  if (options.json) await printJson({ files: reports });
  if (reports.some((report) => "unreadable" in report)) return EXIT.usage;
  const isFine = reports.every((report) => "same" in report && (report.same || report.updated));
  return isFine ? EXIT.done : EXIT.failed;
}

async function verifyFile(file: string, options: VerifyOptions, signal: AbortSignal): Promise<Report> {
  const { model, agents, ignore, timeout, update, json } = options;
  const start = performance.now();
  const recording = await readFile(fromHere(file), "utf8").then(readRecording).catch(unreadable);
  if (typeof recording === "string") {
    tell(`Cannot read ${file}: ${plainText(recording)}`);
    return { file, unreadable: recording };
  }
  using progress = new ProgressLine(file);
  const real = agents === undefined ? new Map<string, string>() : realAgents(recording, agents);
  const { differences, outcome } = await withUserErrors(
    [StartError],
    () =>
      verifyRecording(recording, {
        model,
        real,
        ignored: new Set(ignore),
        timeoutMs: timeout * 1_000,
        environment: process.env,
        signal,
        onMessage: (number) => progress.show(`message ${number} of ${recording.turns.length}`),
      }),
    { prefix: `Cannot verify ${file}: ` },
  );
  const same = differences.length === 0;
  const isComplete = outcome.turns.every(({ state }) => state !== "cancelled");
  const updated = !same && update === true && isComplete;
  if (updated) await writeGivenFile(file, writtenRecording(outcome), "w");
  else if (update && !isComplete) tell(`${file} is unchanged: a message was not answered this time`);
  const duration = `${((performance.now() - start) / 1_000).toFixed(1)} s`;
  progress[Symbol.dispose]();
  if (!json)
    await printText(
      same
        ? `${STYLE.added("✓")} ${file}: no differences (${summary(recording)}, ${duration})`
        : [
            `${STYLE.removed("✗")} ${file}: ${differences.length} ${differences.length === 1 ? "difference" : "differences"}${updated ? ", file updated" : ""} (${duration})`,
            ...differenceLines(differences, recording.turns),
          ].join("\n"),
    );
  return { file, same, differences, ...(updated && { updated }) };
}

async function checkModel(model: string | undefined): Promise<void> {
  if (model === undefined) return;
  const { environment } = await withUserErrors([StartError], () => readConfiguration(process.env), {
    exitCode: EXIT.usage,
  });
  await withUserErrors([ModelError], () => openModel(model, { environment }), {
    prefix: "--model: ",
    exitCode: EXIT.usage,
  });
}

/** Why a file cannot be read; throws unexpected errors. */
function unreadable(error: unknown): string {
  if (error instanceof UnreadableRecordingError) return error.message;
  if (error instanceof Error && "code" in error) return fileErrorReason(error);
  throw error;
}

const STYLE: DiffStyle = {
  removed: (text) => styled("red", text),
  added: (text) => styled("green", text),
};

/** The differences for people, message by message, each with the expected and the actual text. */
function differenceLines(differences: readonly Difference[], turns: readonly RecordedTurn[]): string[] {
  return differences.flatMap((difference, at) => {
    const { message, aspect, what } = difference;
    const isNext = message !== differences[at - 1]?.message;
    const head = `  message ${message}: “${oneLine(turns[message - 1]?.message ?? "", 70)}”`;
    return [
      ...(isNext ? [head] : []),
      `    ${aspect}: ${plainText(what)}`,
      ...detailLines(difference).map((line) => `      ${line}`),
    ];
  });
}

function detailLines({ expected, actual }: Difference): string[] {
  const linesOf = (text: string | undefined) => (text === undefined ? [] : plainText(text).split("\n"));
  if (expected !== undefined && actual !== undefined)
    return textDiff(plainText(expected), plainText(actual), STYLE);
  return [
    ...linesOf(expected).map((line) => STYLE.removed(`- ${line}`)),
    ...linesOf(actual).map((line) => STYLE.added(`+ ${line}`)),
  ];
}

/** The files of a recording's agents in a folder, by name; a `CommandError` where there is none. */
export function realAgents({ agents, turns }: Recording, folder: string): Map<string, string> {
  const known = new Set([...agents.map(({ name }) => name), ...turns.map(({ agent }) => agent)]);
  const files = [...known].map((name) => [name, join(fromHere(folder), `${name}.md`)] as const);
  const found = new Map(files.filter(([, path]) => existsSync(path)));
  if (found.size > 0) return found;
  const names = [...known].map((name) => `${name}.md`).join(", ");
  throw new CommandError(
    `${folder} has none of ${names}; use --agents with the folder of the agent files`,
    EXIT.usage,
  );
}
