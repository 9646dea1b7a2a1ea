import { z } from "zod";
import type { Role } from "../protocol/model.ts";
import { stateOfLegacy } from "./legacy-states.ts";

/** A role by its name before v1.0. */
export const legacyRoleName = z
  .enum(["user", "agent"])
  .transform((name): Role => (name === "user" ? "ROLE_USER" : "ROLE_AGENT"));

/** A state by its name before v1.0; "unknown" comes out as undefined. */
export const legacyStateName = z.string().transform((name, context) => {
  const state = stateOfLegacy(name);
  if (state !== false) return state;
  context.addIssue({ code: "custom", message: "must be a state such as working" });
  return z.NEVER;
});
