import { openMemoryJournal } from "@parley/journal";
import { describe, expect, it, onTestFinished } from "vitest";
import { LOCAL_USER, type WorkspaceRole } from "../identity.ts";
import { discardLog } from "../testing/people-nodes.ts";
import { AccountAccess } from "./account-access.ts";
import { KeyStore } from "./key-store.ts";

const ANN = { owner: "usr_ann", workspace: "home", name: "ann" };
const ROBOT = { owner: "robot", workspace: "home" };

/** Ann, with this role, has created a key of a service account. */
async function accountOf(role: WorkspaceRole | undefined) {
  const journal = openMemoryJournal({});
  const keys = await KeyStore.open(journal, discardLog);
  onTestFinished(async () => {
    await keys.close();
    await journal.close();
  });
  const { key } = await keys.create({ ...ROBOT, name: "ci", role: "editor" }, ANN, { isNewAccount: true });
  const membership = new AbortController();
  const access = new AccountAccess(keys, async (owner) =>
    owner === ANN.owner ? { role, ended: membership.signal } : undefined,
  );
  return { keys, key, membership, access };
}

describe("AccountAccess", () => {
  it("gives a service account access until its key is revoked", async () => {
    const { keys, key, access } = await accountOf("owner");
    const recheck = await access.ofUser(ROBOT);
    expect(recheck?.aborted).toBe(false);
    await keys.revoke("home", key.id, ANN);
    expect(recheck?.aborted).toBe(true);
    expect(await access.ofUser(ROBOT)).toBeUndefined();
  });

  it("gives a service account no access without its creator's membership", async () => {
    const { membership, access } = await accountOf("viewer");
    const recheck = await access.ofUser(ROBOT);
    membership.abort();
    expect(recheck?.aborted).toBe(true);
    expect(await (await accountOf(undefined)).access.ofUser(ROBOT)).toBeUndefined();
  });

  it("gives people access by their membership, and the local user always", async () => {
    const { access } = await accountOf("viewer");
    expect((await access.ofUser(ANN))?.aborted).toBe(false);
    expect((await access.ofUser(LOCAL_USER))?.aborted).toBe(false);
    expect(await (await accountOf(undefined)).access.ofUser(ANN)).toBeUndefined();
    expect(await access.ofUser({ ...ROBOT, workspace: "office" })).toBeUndefined();
  });
});
