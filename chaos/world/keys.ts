import { makeFirstKey } from "@parley/server/keys";
import { exchange } from "../clients/http-exchange.ts";

/** The two workspaces: the crew's and the intruders'. */
export const CREW = "crew";
export const INTRUDERS = "intruders";

/** The API keys by identity. */
export interface Keys {
  /** The operator. */
  readonly operator: string;
  readonly crew: string;
  readonly intruder: string;
  /** A viewer of the intruders' workspace. */
  readonly onlooker: string;
  /** The owner of the intruders' workspace. */
  readonly landlord: string;
  /** A revoked key of the crew. */
  readonly revoked: { readonly id: string; readonly secret: string };
}

/** Creates all keys before the server starts, as an operator does. */
export async function makeKeys(databaseUrl: string, dataFolder: string): Promise<Keys> {
  const place = { databaseUrl: new URL(databaseUrl), dataFolder };
  const make = (owner: string, workspace: string, role: "owner" | "editor" | "viewer") =>
    makeFirstKey(place, { name: owner, owner, workspace, role });
  const revoked = await make("former", CREW, "editor");
  return {
    operator: (await make("operator", "default", "owner")).secret,
    crew: (await make("crew", CREW, "editor")).secret,
    intruder: (await make("intruder", INTRUDERS, "editor")).secret,
    onlooker: (await make("onlooker", INTRUDERS, "viewer")).secret,
    landlord: (await make("landlord", INTRUDERS, "owner")).secret,
    revoked: { id: revoked.key.id, secret: revoked.secret },
  };
}

/** Revokes the crew's key that is to be invalid. */
export async function revokeKey(url: string, { operator, revoked }: Keys): Promise<void> {
  const path = `/api/v1/keys/${revoked.id}?workspace=${CREW}`;
  const answer = await exchange(url + path, { method: "DELETE", idleTimeoutMs: 10_000, key: operator });
  if (answer.status >= 300) throw new Error(`The key was not revoked: ${answer.status} ${answer.text}`);
}
