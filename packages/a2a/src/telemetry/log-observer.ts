import type { Part } from "../protocol/model.ts";
import type { TaskObserver } from "../tasks/task-observer.ts";

/** Facts of a log line, for programs; none of them may be a secret. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Where log lines go, by how much they matter; pino's loggers are such. */
export interface Log {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}

/** Says nothing. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };

const MANY_ARTIFACTS = 100;
/** The clock is looked at only so often, and a line is written only so often. */
const LOOK_EVERY_CHUNKS = 100;
const CHUNK_LINE_EVERY_MS = 1_000;

interface Turn {
  readonly began: number;
  chunks: number;
  bytes: number;
  lastLine: number;
}

/** Writes what happens to the tasks of an agent as structured lines; of the pieces of a long answer one a second. */
export function logObserver(log: Log, agent: string): TaskObserver {
  const turns = new Map<string, Turn>();
  return {
    started(taskId, { dialect, resumed }) {
      const began = performance.now();
      turns.set(taskId, { began, chunks: 0, bytes: 0, lastLine: began });
      log.debug({ agent, taskId, dialect, resumed }, "task started");
    },
    chunk(taskId, _head, content) {
      const turn = turns.get(taskId);
      if (!turn) return;
      turn.bytes += bytesOf(content);
      if (++turn.chunks % LOOK_EVERY_CHUNKS !== 0) return;
      const now = performance.now();
      if (now - turn.lastLine < CHUNK_LINE_EVERY_MS) return;
      turn.lastLine = now;
      log.debug({ agent, taskId, chunks: turn.chunks, bytes: turn.bytes }, "task streams");
    },
    artifactCreated(taskId, { artifactId, name }, total) {
      log.info({ agent, taskId, artifactId, name, append: false, total }, "artifact created");
      if (total === MANY_ARTIFACTS + 1) {
        log.warn({ agent, taskId, total }, `task has more than ${MANY_ARTIFACTS} artifacts`);
      }
    },
    refused(taskId, from, what) {
      log.warn({ agent, taskId, from, refused: what }, "transition refused");
    },
    ended(taskId, state) {
      const { began, chunks = 0, bytes = 0 } = turns.get(taskId) ?? {};
      turns.delete(taskId);
      const durationMs = began === undefined ? undefined : Math.round(performance.now() - began);
      log.info({ agent, taskId, state, chunks, bytes, durationMs }, "task ended");
    },
    failed(taskId, error) {
      log.error({ agent, taskId, err: error }, "task failed");
    },
  };
}

function bytesOf(content: string | readonly Part[]): number {
  if (typeof content === "string") return Buffer.byteLength(content);
  let bytes = 0;
  for (const part of content) bytes += bytesOfPart(part);
  return bytes;
}

function bytesOfPart({ text, raw, url, data }: Part): number {
  if (text !== undefined) return Buffer.byteLength(text);
  if (raw !== undefined) return Buffer.byteLength(raw, "base64");
  return Buffer.byteLength(url ?? JSON.stringify(data) ?? "");
}
