import { z } from "zod";
import type { CalledRun } from "./mcp-caller.ts";

/** Values as text that clients bring back without a look into it. It opens nothing by itself: who asks shows who they are. */
export function opaqueText<Schema extends z.ZodType>(prefix: string, schema: Schema) {
  return {
    write: (value: z.infer<Schema>) => `${prefix}${Buffer.from(JSON.stringify(value)).toString("base64url")}`,
    /** Undefined: we did not write it. */
    read(text: string): z.infer<Schema> | undefined {
      if (!text.startsWith(prefix)) return undefined;
      try {
        return schema.parse(JSON.parse(Buffer.from(text.slice(prefix.length), "base64url").toString()));
      } catch {
        return undefined;
      }
    },
  };
}

const approvalText = opaqueText("approval.", z.tuple([z.string(), z.string()]));

/** The id of the request that asks a client's user: whichever node its answer comes to knows what it is the answer to. */
export function approvalRequestId(sessionId: string, approvalId: string): string {
  return approvalText.write([sessionId, approvalId]);
}

/** What such an id is about; undefined: it is no such id. Whose session it is decides who answers. */
export function approvalOf(id: unknown): { sessionId: string; approvalId: string } | undefined {
  const [sessionId, approvalId] = (typeof id === "string" && approvalText.read(id)) || [];
  return sessionId === undefined || approvalId === undefined ? undefined : { sessionId, approvalId };
}

const other = z.string().nullable();
const stateText = opaqueText("", z.tuple([z.string(), z.string(), z.int().nonnegative(), other, other]));

/** What a client brings back with its user's answers: which run it is about. */
export function callState({ sessionId, runId, after, answers, messageId }: CalledRun): string {
  return stateText.write([sessionId, runId, after, answers ?? null, messageId ?? null]);
}

/** The run that it names; undefined: we did not make it. */
export function runIn(state: string): CalledRun | undefined {
  const told = stateText.read(state);
  if (!told) return undefined;
  const [sessionId, runId, after, answers, messageId] = told;
  return { sessionId, runId, after, answers: answers ?? undefined, messageId: messageId ?? undefined };
}
