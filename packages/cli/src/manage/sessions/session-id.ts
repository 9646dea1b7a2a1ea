import { type ApiClient, ApiError } from "@parley/client";
import { CommandError, EXIT } from "../../command-error.ts";
import { pages } from "../../pages.ts";
import { oneLine } from "../../terminal/plain-text.ts";

const PREFIX = "ses_";
const MAX_SHOWN = 5;

/** Resolves an id or its beginning to one session, with `deleted` among the deleted ones. */
export async function sessionId(
  client: ApiClient,
  given: string,
  { deleted = false }: { readonly deleted?: boolean } = {},
): Promise<string> {
  if (given === "") throw new CommandError("The session id is empty", EXIT.usage);
  if (!deleted && (await exists(client, given))) return given;
  const found = await sessionsStartingWith(client, given, deleted);
  const [only, ...others] = found;
  if (!only)
    throw new CommandError(
      deleted
        ? `No deleted session ${given}; "parley sessions list --status deleted" lists them`
        : `No session ${given}; "parley sessions list" lists them`,
    );
  if (others.length === 0 || only.id === given) return only.id;
  const shown = found
    .slice(0, MAX_SHOWN)
    .map(({ id, title }) => `\n  ${oneLine(id, 150)}  ${oneLine(title, 60)}`);
  const more = found.length > MAX_SHOWN ? "\n  …" : "";
  throw new CommandError(`Several session ids start with ${given}:${shown.join("")}${more}`, EXIT.usage);
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

async function sessionsStartingWith(client: ApiClient, given: string, deleted: boolean) {
  const filter = { limit: 200, ...(deleted && { status: "deleted" as const }) };
  const found: { readonly id: string; readonly title: string }[] = [];
  for await (const { sessions } of pages((query) => client.listSessions({ ...filter, ...query }))) {
    found.push(...sessions.filter(({ id }) => id.startsWith(given) || id.startsWith(`${PREFIX}${given}`)));
    if (found.length > MAX_SHOWN) break;
  }
  return found;
}
