import { makeFirstKey } from "@parley/server/keys";
import { exchange } from "../clients/http-exchange.ts";

/** Those who use the platform, and somebody else who does. */
export const CREW = "crew";
export const INTRUDERS = "intruders";

/** Who is known by what. */
export interface Keys {
  /** Who runs the platform. */
  readonly operator: string;
  readonly crew: string;
  readonly intruder: string;
  /** Who may read in the intruders' workspace, and no more. */
  readonly onlooker: string;
  /** Who owns the intruders' workspace. */
  readonly landlord: string;
  /** One of the crew's that was good once. */
  readonly revoked: { readonly id: string; readonly secret: string };
}

/** Makes everybody's keys, before there is a server, as an operator does. */
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

/** Revokes the key that is not to be good any more. */
export async function revokeKey(url: string, { operator, revoked }: Keys): Promise<void> {
  const path = `/api/v1/keys/${revoked.id}?workspace=${CREW}`;
  const answer = await exchange(url + path, { method: "DELETE", patienceMs: 10_000, key: operator });
  if (answer.status >= 300) throw new Error(`The key was not revoked: ${answer.status} ${answer.text}`);
}
