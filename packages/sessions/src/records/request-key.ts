import { createHash } from "node:crypto";
import { isObject } from "@parley/a2a";
import type { AskedMessage, SessionCommand } from "../domain/session-command.ts";
import type { Principal } from "./principal.ts";

/** A caller's name for one command, however often it is sent. */
export interface RequestKey {
  /** A `keyOwner`; in what earlier versions recorded, the name alone. */
  readonly owner: string;
  readonly key: string;
  /** Of what the command asks for. */
  readonly hash: string;
}

/** The key as the command's first event carries it: with how far the effect reaches from there. */
export interface RecordedKey extends RequestKey {
  readonly events: number;
  readonly children: readonly { readonly id: string; readonly events: number }[];
}

/** Whose a key is: the same owner in another workspace is somebody else. */
export function keyOwner({ owner, workspace }: Principal): string {
  return JSON.stringify([workspace, owner]);
}

/** The hash of what a command asks for: ids and times that are made anew for each attempt are no part of it. */
export function commandHash(workspace: string, sessionId: string, command: SessionCommand): string {
  const where = command.type === "create" ? [workspace] : [workspace, sessionId];
  return intentHash([where, intentOf(command)]);
}

/** The same for what means the same, in whichever order its members come. */
export function intentHash(intent: unknown): string {
  return createHash("sha256").update(JSON.stringify(intent, sortedMembers)).digest("hex");
}

function intentOf(command: SessionCommand): unknown {
  switch (command.type) {
    case "create": {
      const { owner: _, workspace: __, ...asked } = command;
      return asked;
    }
    case "postMessage": {
      const { messageId: _, run, after: __, ...asked } = command;
      return { ...asked, agent: run.agent };
    }
    case "edit":
    case "retry": {
      const { run, fork, ...asked } = command;
      return { ...asked, agent: run.agent, title: fork.title, orphan: fork.orphan };
    }
    case "fork": {
      const { fork, ask, ...asked } = command;
      return { ...asked, title: fork.title, orphan: fork.orphan, ask: ask && messageIntent(ask) };
    }
    case "compare":
      return { type: command.type, branches: command.branches.map(({ ask }) => messageIntent(ask)) };
    case "change": {
      const { now: _, ...asked } = command;
      return asked;
    }
    case "delete":
    case "restore":
      return { type: command.type };
    case "rename":
    case "cancelRun":
    case "answerApproval":
    case "switchAgent":
    case "configure":
    case "archive":
      return command;
  }
}

function messageIntent({ content, files, run }: AskedMessage): unknown {
  return { content, files, agent: run.agent };
}

function sortedMembers(_: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)));
}
