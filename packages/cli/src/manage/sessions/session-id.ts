import { type ApiClient, ApiError, type SessionStatus } from "@parley/client";
import { CommandError, EXIT } from "../../command-error.ts";
import { oneLine } from "../../terminal/plain-text.ts";

const PREFIX = "ses_";
const MAX_SHOWN = 5;

/**
 * The id that a person means by an id or the beginning of one; a `CommandError` where none or several begin so.
 * `deleted`: it is looked for among the deleted ones.
 */
export async function sessionId(
  client: ApiClient,
  given: string,
  { deleted = false }: { readonly deleted?: boolean } = {},
): Promise<string> {
  if (given === "") throw new CommandError("A session's id cannot be empty", EXIT.usage);
  if (!deleted && (await exists(client, given))) return given;
  const found = await beginningWith(client, given, deleted ? "deleted" : undefined);
  const [only, ...others] = found;
  if (!only)
    throw new CommandError(
      `There is no ${deleted ? "deleted " : ""}session ${given}: "parley sessions list${deleted ? " --status deleted" : ""}" shows which there are`,
    );
  if (others.length === 0 || only.id === given) return only.id;
  const shown = found
    .slice(0, MAX_SHOWN)
    .map(({ id, title }) => `\n  ${oneLine(id, 150)}  ${oneLine(title, 60)}`);
  const more = found.length > MAX_SHOWN ? "\n  …" : "";
  throw new CommandError(
    `Several sessions begin with ${given}: write more of the id\
${shown.join("")}${more}`,
    EXIT.usage,
  );
}

async function exists(client: ApiClient, id: string): Promise<boolean> {
  try {
    await client.listEvents(id, { limit: 1 });
    return true;
  } catch (error) {
    if (error instanceof ApiError && (error.status === 404 || error.status === 422)) return false;
    throw error;
  }
}

async function beginningWith(client: ApiClient, given: string, status: SessionStatus | undefined) {
  const beginnings = [given, `${PREFIX}${given}`];
  const found: { readonly id: string; readonly title: string }[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await client.listSessions({
      limit: 200,
      ...(status && { status }),
      ...(cursor !== undefined && { cursor }),
    });
    found.push(...page.sessions.filter(({ id }) => beginnings.some((beginning) => id.startsWith(beginning))));
    if (page.next === null || found.length > MAX_SHOWN) return found;
    cursor = page.next;
  }
}
