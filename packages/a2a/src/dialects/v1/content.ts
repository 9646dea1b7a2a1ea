import { z } from "zod";
import type { Part, Role, TaskState } from "../../protocol/model.ts";
import { contentSchemas } from "../content-schemas.ts";
import { base64, json, metadata, optional, wireObject } from "../wire-schema.ts";

const text = z.string();
const CONTENT = ["text", "raw", "url", "data"] as const;

export function protoObject<S extends z.ZodRawShape>(shape: S, present: readonly string[] = []) {
  return wireObject(shape, { snakeCase: true, present });
}

/** A part: exactly one of `text`, `raw`, `url` and `data`, which may be null, says what it is. */
const part: z.ZodType<Part> = protoObject(
  {
    text: optional(text),
    raw: optional(base64),
    url: optional(text),
    data: optional(json),
    filename: optional(text),
    mediaType: optional(text),
    metadata: optional(metadata),
  },
  CONTENT,
).superRefine((value, context) => {
  const members = CONTENT.filter((name) => value[name] !== undefined);
  if (members.length === 1) return;
  const message = `must have exactly one of ${CONTENT.join(", ")}`;
  context.addIssue({ code: "custom", message });
});

/** The states by their number in the protocol's definition, where 0 is unspecified. */
export const STATES_BY_NUMBER = [
  undefined,
  "TASK_STATE_SUBMITTED",
  "TASK_STATE_WORKING",
  "TASK_STATE_COMPLETED",
  "TASK_STATE_FAILED",
  "TASK_STATE_CANCELED",
  "TASK_STATE_INPUT_REQUIRED",
  "TASK_STATE_REJECTED",
  "TASK_STATE_AUTH_REQUIRED",
] as const satisfies readonly (TaskState | undefined)[];

export const ROLES_BY_NUMBER = [undefined, "ROLE_USER", "ROLE_AGENT"] as const satisfies readonly (
  | Role
  | undefined
)[];

/** A state by name or number; unspecified, which is the same as absent, comes out as undefined. */
export const taskState = protoEnum<TaskState>(STATES_BY_NUMBER, "TASK_STATE_UNSPECIFIED");

/** A role by name or number; an unspecified one is a missing one. */
const role = protoEnum<Role>(ROLES_BY_NUMBER, "ROLE_UNSPECIFIED").transform((value, context) => {
  if (value !== undefined) return value;
  context.addIssue({ code: "custom", message: "is required" });
  return z.NEVER;
});

function protoEnum<T extends string>(byNumber: readonly (T | undefined)[], unspecified: string) {
  const values = new Map<unknown, T | undefined>([[unspecified, undefined]]);
  for (const [number, name] of byNumber.entries()) values.set(number, name).set(name, name);
  const names = byNumber.filter((name) => name !== undefined).join(", ");
  return z.unknown().transform((value, context): T | undefined => {
    if (values.has(value)) return values.get(value);
    context.addIssue({ code: "custom", message: `must be one of ${names}` });
    return z.NEVER;
  });
}

/** Messages, artifacts and tasks as v1.0 writes them. */
export const v1Content = contentSchemas({ snakeCase: true, part, role, state: optional(taskState) });
