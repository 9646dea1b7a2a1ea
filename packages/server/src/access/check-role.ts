import { Problem } from "@parley/adapters";
import { type Identity, isOperator, isSharedRoute } from "@parley/identity";

type RequiredRole = "viewer" | "editor" | "owner" | "operator";

const READS = new Set(["GET", "HEAD", "OPTIONS"]);
/** Managed by the owners of a workspace. */
const OWNERS = /^\/api\/v1\/(keys|audit)(\/|$)/;
/** Shared by all workspaces, so changed by operators. */
const OPERATORS_WRITE = /^\/api\/v1\/(agents|agent-checks|settings)(\/|$)/;
/** Routes about any workspace, which check membership themselves. */
const PEOPLE = /^\/api\/v1\/(me|workspaces)(\/|$)/;
/** MCP requests, whose body says what they do; the adapter checks the role. */
const ROUTED_BY_BODY = /^\/mcp\/?$/;
const OPERATORS_READ = /^\/(metrics|status)\/?$/;

const REASONS: Readonly<Record<Exclude<RequiredRole, "viewer">, string>> = {
  editor: "Viewers have read-only access; ask an owner of your workspace for the role editor",
  owner: "Only owners of the workspace may do this; ask one of them",
  operator: "Only operators, the owners of the workspace default, may do this; ask one of them",
};

/**
 * Throws a `Problem` where the caller's role does not allow the request. The refusal depends on the route alone, so it does
 * not reveal whether a resource exists. The path must be decoded as the router decodes it.
 */
export function checkRole(
  identity: Pick<Identity, "role" | "workspace" | "link">,
  { method, path }: { readonly method: string; readonly path: string },
): void {
  if (identity.link !== undefined && !isSharedRoute(method, path))
    throw new Problem("forbidden", "A share link only allows reading its session");
  const required = requiredRole(method, path);
  if (required !== "viewer" && !hasRole(identity, required))
    throw new Problem("forbidden", REASONS[required]);
}

function requiredRole(method: string, path: string): RequiredRole {
  if (OWNERS.test(path)) return "owner";
  if (OPERATORS_READ.test(path)) return "operator";
  if (READS.has(method) || PEOPLE.test(path) || ROUTED_BY_BODY.test(path)) return "viewer";
  return OPERATORS_WRITE.test(path) ? "operator" : "editor";
}

function hasRole(
  identity: Pick<Identity, "role" | "workspace">,
  required: Exclude<RequiredRole, "viewer">,
): boolean {
  switch (required) {
    case "editor":
      return identity.role !== "viewer";
    case "owner":
      return identity.role === "owner";
    case "operator":
      return isOperator(identity);
  }
}

/** The requested workspace: the caller's own, or any for operators. */
export function workspaceFor(
  identity: Pick<Identity, "role" | "workspace">,
  asked: string | undefined,
): string {
  if (asked === undefined || asked === identity.workspace || isOperator(identity))
    return asked ?? identity.workspace;
  throw new Problem("forbidden", "Only operators may access other workspaces; omit the workspace");
}
