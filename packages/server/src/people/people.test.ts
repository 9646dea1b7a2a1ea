import { describe, expect, it } from "vitest";
import { identityOf } from "./chosen-workspace.ts";
import { WORKSPACE_COOKIE } from "./cookies.ts";
import { personalWorkspaceOf, userIdOf } from "./people-events.ts";
import { WorkspaceMissingError } from "./provider-errors.ts";
import { aborted, peopleNodes, profile, STORAGES } from "./testing/people-nodes.ts";

describe.each(STORAGES)("people on %s", (storage) => {
  it("a first login makes a user and a workspace of their own, once, on however many nodes it happens", async () => {
    const nodes = await peopleNodes(storage);
    const ann = profile("ann");
    await Promise.all([...nodes, ...nodes].map(({ people }) => people.known(ann)));
    for (const { people } of nodes) {
      const id = userIdOf(ann);
      expect(await people.user(id)).toEqual({ id, name: "ann", email: "ann@example.com" });
      expect(await people.memberships(id)).toEqual([
        { workspace: personalWorkspaceOf(id), name: "ann", role: "owner" },
      ]);
    }
    const [{ people }] = nodes;
    await people.known({ ...ann, name: "Ann Other" });
    expect(await people.user(userIdOf(ann))).toMatchObject({ name: "Ann Other" });
  });

  it("invites by address whoever comes, and by id who is there; each has the role that was given", async () => {
    const nodes = await peopleNodes(storage);
    const [{ people }] = nodes;
    const elsewhere = nodes.at(-1)?.people ?? people;
    const ann = await people.known(profile("ann"));
    const cat = await people.known(profile("cat"));
    const { workspace } = await people.createWorkspace(ann.id, "Team");
    await people.invite(workspace, { email: "Bob@Example.com", role: "viewer", by: ann.id });
    await people.add(workspace, cat.id, "editor");
    await expect(people.add(workspace, cat.id, "editor")).rejects.toThrow("a member already");
    await expect(people.add(workspace, "usr_none", "editor")).rejects.toThrow("no user usr_none");
    const bob = await elsewhere.known(profile("bob"));
    const { members, invitations } = await elsewhere.members(workspace);
    // Who came in the same millisecond has no order.
    const roles = Object.fromEntries(members.map(({ name, role }) => [name, role]));
    expect(roles).toEqual({ ann: "owner", cat: "editor", bob: "viewer" });
    expect(invitations).toEqual([]);
    expect((await people.memberships(bob.id)).map(({ name }) => name)).toEqual(["bob", "Team"]);
    await people.setRole(workspace, bob.id, "editor");
    expect(await elsewhere.role(workspace, bob.id)).toBe("editor");
    // An address that the provider does not vouch for is nobody's.
    await people.invite(workspace, { email: "eve@example.com", role: "owner", by: ann.id });
    const eve = await people.known({ ...profile("eve"), email: undefined });
    expect(await people.memberships(eve.id)).toHaveLength(1);
    await people.uninvite(workspace, "EVE@example.com");
    expect((await people.members(workspace)).invitations).toEqual([]);
  });

  it("never leaves a workspace without an owner, also when two owners go at once", async () => {
    const nodes = await peopleNodes(storage);
    const [{ people }] = nodes;
    const elsewhere = nodes.at(-1)?.people ?? people;
    const [ann, bob] = [await people.known(profile("ann")), await people.known(profile("bob"))];
    const { workspace } = await people.createWorkspace(ann.id, "Team");
    await expect(people.remove(workspace, ann.id)).rejects.toThrow("needs an owner");
    await expect(people.setRole(workspace, ann.id, "viewer")).rejects.toThrow("needs an owner");
    await people.add(workspace, bob.id, "owner");
    const both = await Promise.allSettled([
      people.remove(workspace, ann.id),
      elsewhere.remove(workspace, bob.id),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect((await people.members(workspace)).members).toHaveLength(1);
    await expect(people.remove(personalWorkspaceOf(ann.id), ann.id)).rejects.toThrow("their own");
    await expect(people.remove("wsp_none", ann.id)).rejects.toThrow("no such workspace");
  });

  it("tells every node when a role changes or a member is removed, and from then on the workspace is not there", async () => {
    const nodes = await peopleNodes(storage);
    const [{ people }] = nodes;
    const there = nodes.at(-1) ?? nodes[0];
    const [ann, bob] = [await people.known(profile("ann")), await people.known(profile("bob"))];
    const { workspace } = await people.createWorkspace(ann.id, "Team");
    await people.add(workspace, bob.id, "editor");
    const chosen = { "x-workspace": workspace };
    const identity = await identityOf(there, bob, chosen, { tags: ["login/x"] });
    const others = await identityOf(there, ann, chosen, { tags: ["login/y"] });
    const own = await identityOf(there, bob, {}, { tags: ["login/x"] });
    expect([identity.workspace, identity.role, own.workspace]).toEqual([
      workspace,
      "editor",
      personalWorkspaceOf(bob.id),
    ]);
    await people.setRole(workspace, bob.id, "viewer");
    await aborted(identity.ended);
    const less = await identityOf(there, bob, chosen, { tags: ["login/x"] });
    expect([less.role, less.ended?.aborted]).toEqual(["viewer", false]);
    await people.remove(workspace, bob.id);
    await aborted(less.ended);
    expect([others.ended?.aborted, own.ended?.aborted]).toEqual([false, false]);
    await expect(identityOf(there, bob, chosen, { tags: [] })).rejects.toThrow(WorkspaceMissingError);
    // What a browser keeps is a wish; what a request names is meant.
    const kept = { cookie: `a=b; ${WORKSPACE_COOKIE}=${workspace}` };
    expect((await identityOf(there, bob, kept, { tags: [] })).workspace).toBe(own.workspace);
    expect((await identityOf(there, ann, kept, { tags: [] })).workspace).toBe(workspace);
  });
});

it("a signal ends when its moment has come, and is shared until then", async () => {
  const [{ endings }] = await peopleNodes("memory");
  const until = Date.now() + 50;
  const signal = endings.signal({ tags: ["token/x"], until });
  expect(endings.signal({ tags: ["token/x"], until })).toBe(signal);
  await aborted(signal);
  expect(signal.reason.message).toContain("expired");
});
