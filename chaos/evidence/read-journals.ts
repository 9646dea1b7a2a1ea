import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type SseFrame, SseFrames } from "../clients/sse-frames.ts";
import type {
  AttackEvidence,
  AttemptEvidence,
  CallEvidence,
  CommandAnswer,
  CommandEvidence,
  FollowerEvidence,
  OfflineClientEvidence,
  ReceivedWebhook,
} from "./evidence.ts";

// biome-ignore lint/suspicious/noExplicitAny: lines that we wrote ourselves, of many kinds
type Line = any;

/** What followers received, from their files. */
export function followersIn(folder: string): FollowerEvidence[] {
  return [...clientsIn(folder, "follower"), ...clientsIn(folder, "slowConsumer")].map((name) => {
    const lines = linesOf(folder, name);
    return {
      name,
      workspace: workspaceIn(lines),
      isPartial: name.startsWith("slowConsumer"),
      streams: lines
        .filter(({ stream }) => stream !== undefined)
        .map(({ stream, node, lastId }) => ({ node, lastId, frames: framesOf(join(folder, name, stream)) })),
    };
  });
}

/** The talkers' commands and their responses. */
export function commandsIn(folder: string): CommandEvidence[] {
  return clientsIn(folder, "talker").flatMap((name) => {
    const lines = linesOf(folder, name);
    const answers = Map.groupBy(
      lines.filter(({ answered }) => answered !== undefined),
      ({ answered }) => answered as string,
    );
    const sent = Map.groupBy(
      lines.filter((line) => line.sent !== undefined),
      (line) => line.sent as string,
    );
    return [...sent].map(([key, tries]) => {
      const { method, path, body } = tries[0];
      return {
        key,
        method,
        path,
        body,
        sent: tries.length,
        answers: (answers.get(key) ?? []) as CommandAnswer[],
      };
    });
  });
}

/** What A2A callers received. */
export function callsIn(folder: string): CallEvidence[] {
  return clientsIn(folder, "caller").flatMap((name) => {
    const lines = linesOf(folder, name);
    const keys = [...new Set(lines.flatMap(({ call }) => call ?? []))];
    return keys.map((key) => {
      const own = lines.filter(({ call }) => call === key);
      const streams = own.flatMap(({ stream }) => (stream ? [join(folder, name, stream)] : []));
      return {
        key,
        taskId: own.find(({ taskId }) => taskId !== undefined)?.taskId,
        frames: streams.flatMap(framesOf),
        answers: streams.map((path) => bytesOf(path).toString()),
      };
    });
  });
}

/** The intruders' attempts and the responses. */
export function attemptsIn(folder: string): AttemptEvidence[] {
  return clientsIn(folder, "intruder").flatMap((name) => {
    const lines = linesOf(folder, name);
    const workspace = workspaceIn(lines);
    return lines.filter(({ attempt }) => attempt !== undefined).map((line) => ({ ...line, workspace }));
  });
}

/** The attacks, and whether other users were served meanwhile. */
export function attacksIn(folder: string): AttackEvidence[] {
  return clientsIn(folder, "attacker").flatMap((name) =>
    linesOf(folder, name).filter(({ attack }) => attack !== undefined),
  );
}

/** What offline clients wrote, went through and showed. */
export function offlineClientsIn(folder: string): OfflineClientEvidence[] {
  return clientsIn(folder, "offlineClient").map((name) => {
    const lines = linesOf(folder, name);
    const count = (isMeant: (line: Line) => boolean) => lines.filter(isMeant).length;
    return {
      ...{ name, workspace: workspaceIn(lines), arrived: lines.find(({ arrived }) => arrived)?.arrived },
      wrote: lines.flatMap(({ wrote: messageId, sessionId, content, isOffline }) =>
        messageId === undefined ? [] : [{ messageId, sessionId, content, isOffline }],
      ),
      offline: count(({ spell }) => spell === "offline"),
      killed: count(({ left }) => left === "killed"),
      closed: count(({ left }) => left === "closed"),
    };
  });
}

/** The webhooks that the receiver got. */
export function webhooksIn(folder: string): ReceivedWebhook[] {
  return clientsIn(folder, "receiver").flatMap((name) =>
    linesOf(folder, name).map(({ at, webhook: id, text, taken }) => ({ at, id, text, taken })),
  );
}

function workspaceIn(lines: readonly Line[]): string {
  return lines.find(({ workspace }) => workspace !== undefined)?.workspace ?? "";
}

function clientsIn(folder: string, kind: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.startsWith(kind))
    .sort();
}

function linesOf(folder: string, name: string): Line[] {
  const text = readFileSync(join(folder, name, "journal.jsonl"), "utf8");
  return text.split("\n").flatMap((line) => (line === "" ? [] : JSON.parse(line)));
}

function framesOf(path: string): SseFrame[] {
  return new SseFrames().push(bytesOf(path));
}

/** A connection that was cut before its first byte has no file. */
function bytesOf(path: string): Buffer {
  return existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
}
