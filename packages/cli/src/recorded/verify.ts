import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { styleText } from "node:util";
import { ModelError, openModel } from "@parley/models";
import { readConfiguration, StartError } from "@parley/server";
import { CommandError, EXIT, type ExitCode } from "../command-error.ts";
import { fromHere } from "../from-here.ts";
import { plainText } from "../terminal/plain-text.ts";
import type { Aspect, Difference } from "./difference.ts";
import { summary } from "./record.ts";
import {
  type RecordedTurn,
  type Recording,
  readRecording,
  UnreadableRecordingError,
  writtenRecording,
} from "./recording.ts";
import { type Ink, textDiff } from "./text-diff.ts";
import { type VerifyRecordingOptions, verifyRecording } from "./verify-recording.ts";

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

/** Verifies files one after the other and tells of each; returns the exit code: 2 if one is unreadable, 1 if one differs. */
export async function verify(files: readonly string[], options: VerifyOptions): Promise<ExitCode> {
  await checkModel(options.model);
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort();
  process.once("SIGINT", interrupt);
  try {
    const reports: Report[] = [];
    for (const file of files) reports.push(await verifyFile(file, options, interrupted.signal));
    if (options.json) process.stdout.write(`${JSON.stringify({ files: reports }, null, 2)}\n`);
    if (reports.some((report) => "unreadable" in report)) return EXIT.usage;
    return reports.every((report) => "same" in report && (report.same || report.updated))
      ? EXIT.done
      : EXIT.failed;
  } finally {
    process.off("SIGINT", interrupt);
  }
}

async function verifyFile(file: string, options: VerifyOptions, signal: AbortSignal): Promise<Report> {
  const began = performance.now();
  const recording = await readFile(fromHere(file), "utf8").then(readRecording).catch(unreadable);
  if (typeof recording === "string") {
    process.stderr.write(`${file} cannot be read: ${plainText(recording)}\n`);
    return { file, unreadable: recording };
  }
  const { differences, outcome } = await verifyRecording(
    recording,
    settings(recording, options, { file, signal }),
  ).catch((error: unknown) => {
    throw error instanceof StartError
      ? new CommandError(`${file} cannot be verified: ${error.message}`)
      : error;
  });
  const same = differences.length === 0;
  const isWhole = outcome.turns.every(({ state }) => state !== "cancelled");
  const updated = !same && options.update === true && isWhole;
  if (updated) await writeFile(fromHere(file), writtenRecording(outcome));
  else if (options.update && !isWhole)
    process.stderr.write(`${file} stays as it is: a message was not answered this time\n`);
  if (!options.json) {
    const seconds = `${((performance.now() - began) / 1_000).toFixed(1)} s`;
    process.stdout.write(told({ file, recording, differences, updated, seconds }));
  }
  return { file, same, differences, ...(updated && { updated }) };
}

function settings(
  recording: Recording,
  { model, agents, ignore, timeout }: VerifyOptions,
  { file, signal }: { readonly file: string; readonly signal: AbortSignal },
): VerifyRecordingOptions {
  const { length } = recording.turns;
  return {
    model,
    real: agents === undefined ? new Map() : realAgents(recording, agents),
    ignored: new Set(ignore),
    timeoutMs: timeout * 1_000,
    environment: process.env,
    signal,
    sends: (number) => {
      if (process.stderr.isTTY) process.stderr.write(`${file}: message ${number} of ${length}…\n`);
    },
  };
}

async function checkModel(model: string | undefined): Promise<void> {
  if (model === undefined) return;
  try {
    const { environment } = await readConfiguration(process.env);
    openModel(model, { environment });
  } catch (error) {
    if (error instanceof ModelError) throw new CommandError(`--model: ${error.message}`, EXIT.usage);
    if (error instanceof StartError) throw new CommandError(error.message, EXIT.usage);
    throw error;
  }
}

/** Why a file cannot be read; throws what has another reason. */
function unreadable(error: unknown): string {
  if (error instanceof UnreadableRecordingError) return error.message;
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return "there is no such file";
  if (code === "EISDIR") return "it is a folder";
  if (code === "EACCES") return "you may not read it";
  throw error;
}

const ink: Ink = {
  removed: (text) => styleText("red", text, { stream: process.stdout }),
  added: (text) => styleText("green", text, { stream: process.stdout }),
};

function told(about: {
  readonly file: string;
  readonly recording: Recording;
  readonly differences: readonly Difference[];
  readonly updated: boolean;
  readonly seconds: string;
}): string {
  const { file, recording, differences, updated, seconds } = about;
  if (differences.length === 0)
    return `${ink.added("✓")} ${file}: the same (${summary(recording)}, ${seconds})\n`;
  const many = differences.length === 1 ? "1 difference" : `${differences.length} differences`;
  const head = `${ink.removed("✗")} ${file}: ${many}${updated ? ", now in the file" : ""} (${seconds})\n`;
  return head + shownDifferences(differences, recording.turns, ink);
}

const MAX_MESSAGE_LENGTH = 70;

/** The differences for people: message by message, each with what was expected and what came. */
function shownDifferences(
  differences: readonly Difference[],
  turns: readonly RecordedTurn[],
  ink: Ink,
): string {
  const lines: string[] = [];
  let shown = 0;
  for (const difference of differences) {
    if (difference.message !== shown)
      lines.push(`  message ${difference.message}: ${quoted(turns[difference.message - 1])}`);
    shown = difference.message;
    lines.push(`    ${difference.aspect}: ${plainText(difference.what)}`);
    lines.push(...detail(difference, ink).map((line) => `      ${line}`));
  }
  return lines.map((line) => `${line}\n`).join("");
}

function detail({ expected, actual }: Difference, ink: Ink): string[] {
  if (expected !== undefined && actual !== undefined)
    return textDiff(plainText(expected), plainText(actual), ink);
  if (expected !== undefined)
    return plainText(expected)
      .split("\n")
      .map((line) => ink.removed(`- ${line}`));
  if (actual !== undefined)
    return plainText(actual)
      .split("\n")
      .map((line) => ink.added(`+ ${line}`));
  return [];
}

function quoted(turn: RecordedTurn | undefined): string {
  const text = plainText(turn?.message ?? "").replaceAll(/\s+/g, " ");
  return `“${text.length > MAX_MESSAGE_LENGTH ? `${text.slice(0, MAX_MESSAGE_LENGTH)}…` : text}”`;
}

/** The files of a recording's agents in that folder, by name; a `CommandError` where there is none. */
export function realAgents({ agents, turns }: Recording, folder: string): Map<string, string> {
  const known = new Set([...agents.map(({ name }) => name), ...turns.map(({ agent }) => agent)]);
  const files = [...known].map((name) => [name, join(fromHere(folder), `${name}.md`)] as const);
  const found = new Map(files.filter(([, path]) => existsSync(path)));
  if (found.size > 0) return found;
  const names = [...known].map((name) => `${name}.md`).join(", ");
  throw new CommandError(
    `There is none of ${names} in ${folder}: name the agents' folder with --agents`,
    EXIT.usage,
  );
}
