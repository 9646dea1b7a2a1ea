import { Problem } from "@parley/adapters";
import { type Identity, isOperator, isSharedRoute } from "@parley/identity";

/** Who may do what is asked for. */
type Needed = "viewer" | "editor" | "owner" | "operator";

const READS = new Set(["GET", "HEAD", "OPTIONS"]);
/** What a workspace's owners look after. */
const OWNERS = /^\/api\/v1\/(keys|audit)(\/|$)/;
/** What the whole platform shares. */
const OPERATORS_WRITE = /^\/api\/v1\/(agents|agent-checks|settings)(\/|$)/;
/** What is not in the workspace that one works in: there, membership decides, and the routes look at it. */
const PEOPLE = /^\/api\/v1\/(me|workspaces)(\/|$)/;
/** Where the method says nothing and the body all: what it asks for is looked at there. */
const ROUTED_BY_BODY = /^\/mcp\/?$/;
const OPERATORS_READ = /^\/(metrics|status)\/?$/;

const REASONS: Readonly<Record<Exclude<Needed, "viewer">, string>> = {
  editor: "Viewers only read: ask an owner of your workspace for the role editor",
  owner: "This is for owners of the workspace: ask one of them",
  operator: "This is for who runs the platform, the owners of its workspace default: ask one of them",
};

/**
 * Throws a `Problem` where the role does not allow it. What it says follows from the route alone, so it tells nobody
 * whether what they name is there. The path must be the one that is routed, decoded as it is there.
 */
export function checkRole(
  identity: Pick<Identity, "role" | "workspace" | "link">,
  { method, path }: { readonly method: string; readonly path: string },
): void {
  if (identity.link !== undefined && !isSharedRoute(method, path))
    throw new Problem("forbidden", "A link opens its session for reading, and nothing else");
  const needed = neededFor(method, path);
  if (needed !== "viewer" && !has(identity, needed)) throw new Problem("forbidden", REASONS[needed]);
}

function neededFor(method: string, path: string): Needed {
  if (OWNERS.test(path)) return "owner";
  if (OPERATORS_READ.test(path)) return "operator";
  if (READS.has(method) || PEOPLE.test(path) || ROUTED_BY_BODY.test(path)) return "viewer";
  return OPERATORS_WRITE.test(path) ? "operator" : "editor";
}

function has(identity: Pick<Identity, "role" | "workspace">, needed: Exclude<Needed, "viewer">): boolean {
  switch (needed) {
    case "editor":
      return identity.role !== "viewer";
    case "owner":
      return identity.role === "owner";
    case "operator":
      return isOperator(identity);
  }
}

/** The workspace that is asked about: one's own, or for operators any. */
export function workspaceFor(
  identity: Pick<Identity, "role" | "workspace">,
  asked: string | undefined,
): string {
  if (asked === undefined || asked === identity.workspace || isOperator(identity))
    return asked ?? identity.workspace;
  throw new Problem("forbidden", "Only who runs the platform looks into other workspaces: leave it out");
}
