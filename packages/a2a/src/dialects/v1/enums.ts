import { z } from "zod";
import type { Role, TaskState } from "../../protocol/model.ts";

/** The states by their number in the protocol's definition, where 0 is unspecified. */
const STATES = [
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

const ROLES = [undefined, "ROLE_USER", "ROLE_AGENT"] as const satisfies readonly (Role | undefined)[];

/** A state by name or number; unspecified, which is the same as absent, comes out as undefined. */
export const taskState = protoEnum<TaskState>(STATES, "TASK_STATE_UNSPECIFIED");

/** A role by name or number; an unspecified one is a missing one. */
export const role = protoEnum<Role>(ROLES, "ROLE_UNSPECIFIED").transform((value, context) => {
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
