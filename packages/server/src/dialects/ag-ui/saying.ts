import { createHash } from "node:crypto";
import type { Message } from "@ag-ui/core";
import type { Principal } from "@parley/sessions";
import type { Files } from "../../api/api-ports.ts";
import type { Asking } from "../../api/conversations.ts";
import { type SaidMessage, saidIn } from "./client-messages.ts";
import { keptFiles } from "./message-files.ts";
import { type CheckedInput, partsOf } from "./run-agent-input.ts";

/** What a client says, with all that it says was said before. */
export interface Saying {
  readonly asking: Asking & { readonly id: string };
  readonly messages: readonly Message[];
  readonly said: readonly SaidMessage[];
  /** The session in which the client heard something last. */
  readonly seen: string | undefined;
  /** Whether the messages are all that the client has: one that names the run before may send what is new alone. */
  readonly isWhole: boolean;
  /** The same for the same run and message: by it a request that comes again is known. */
  readonly key: string;
}

/** One of the client's messages as what it says now. */
export async function sayingOf(
  files: Files,
  principal: Principal,
  { input, wishes, seen }: CheckedInput,
  {
    newest,
    agent,
  }: { readonly newest: Extract<Message, { role: "user" }>; readonly agent: string | undefined },
): Promise<Saying> {
  const { messages, runId } = input;
  const place = messages.indexOf(newest);
  const { text: content, files: placed } = partsOf(newest, `messages.${place}`);
  const { id } = newest;
  const kept = await keptFiles(files, principal, placed);
  return {
    asking: { id, content, files: kept, agent, ...wishes },
    ...{ messages, said: saidIn(messages.slice(0, place + 1)), seen },
    isWhole: input.parentRunId === undefined,
    key: keyOf([runId, id, content, ...kept]),
  };
}

/** As short as a key must be, whatever a client's ids are. */
export function keyOf(parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url");
}
