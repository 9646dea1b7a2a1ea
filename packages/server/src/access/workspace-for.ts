import { Problem } from "../api/problem.ts";
import { type Identity, isOperator } from "./identity.ts";

/** The workspace that is asked about: one's own, or for operators any. */
export function workspaceFor(
  identity: Pick<Identity, "role" | "workspace">,
  asked: string | undefined,
): string {
  if (asked === undefined || asked === identity.workspace || isOperator(identity))
    return asked ?? identity.workspace;
  throw new Problem("forbidden", "Only who runs the platform looks into other workspaces: leave it out");
}
