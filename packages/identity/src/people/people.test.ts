import { describe, expect, it } from "vitest";
import { WorkspaceMissingError } from "../identity-errors.ts";
import { WORKSPACE_COOKIE } from "../logins/cookies.ts";
import { identifyUser } from "../logins/login-authenticator.ts";
import { aborted, JOURNAL_STORAGES, peopleNodes, profile } from "../testing/people-nodes.ts";
import { personalWorkspaceOf, userIdOf } from "./people-events.ts";

describe.each(JOURNAL_STORAGES)("People on %s", (storage) => {
  it("creates one user with a personal workspace on the first login, also on several nodes at once", async () => {
    const nodes = await peopleNodes(storage);
    const ann = profile("ann");
    await Promise.all([...nodes, ...nodes].map(({ people }) => people.ensureUser(ann)));
    for (const { people } of nodes) {
      const id = userIdOf(ann);
      expect(await people.user(id)).toEqual({ id, name: "ann", email: "ann@example.com" });
      expect(await people.memberships(id)).toEqual([
        { workspace: personalWorkspaceOf(id), name: "ann", role: "owner" },
      ]);
    }
    const [{ people }] = nodes;
    await people.ensureUser({ ...ann, name: "Ann Other" });
    expect(await people.user(userIdOf(ann))).toMatchObject({ name: "Ann Other" });
  });

  it("adds members by id and invites them by verified email address, each with the given role", async () => {
    const nodes = await peopleNodes(storage);
    const [{ people }] = nodes;
    const elsewhere = nodes.at(-1)?.people ?? people;
    const ann = await people.ensureUser(profile("ann"));
    const cat = await people.ensureUser(profile("cat"));
    const { workspace } = await people.createWorkspace(ann.id, "Team");
    await people.invite(workspace, { email: "Bob@Example.com", role: "viewer", by: ann.id });
    await people.addMember(workspace, cat.id, "editor");
    await expect(people.addMember(workspace, cat.id, "editor")).rejects.toThrow("a member already");
    await expect(people.addMember(workspace, "usr_none", "editor")).rejects.toThrow("no user usr_none");
    const bob = await elsewhere.ensureUser(profile("bob"));
    const { members, invitations } = await elsewhere.members(workspace);
    // Members added in the same millisecond have no order.
    const roles = Object.fromEntries(members.map(({ name, role }) => [name, role]));
    expect(roles).toEqual({ ann: "owner", cat: "editor", bob: "viewer" });
    expect(invitations).toEqual([]);
    expect((await people.memberships(bob.id)).map(({ name }) => name)).toEqual(["bob", "Team"]);
    await people.setRole(workspace, bob.id, "editor");
    expect(await elsewhere.role(workspace, bob.id)).toBe("editor");
    // An unverified address accepts no invitation.
    await people.invite(workspace, { email: "eve@example.com", role: "owner", by: ann.id });
    const eve = await people.ensureUser({ ...profile("eve"), email: undefined });
    expect(await people.memberships(eve.id)).toHaveLength(1);
    await people.revokeInvitation(workspace, "EVE@example.com");
    expect((await people.members(workspace)).invitations).toEqual([]);
  });

  it("keeps at least one owner in a workspace, also when two owners leave at once", async () => {
    const nodes = await peopleNodes(storage);
    const [{ people }] = nodes;
    const elsewhere = nodes.at(-1)?.people ?? people;
    const [ann, bob] = [await people.ensureUser(profile("ann")), await people.ensureUser(profile("bob"))];
    const { workspace } = await people.createWorkspace(ann.id, "Team");
    await expect(people.removeMember(workspace, ann.id)).rejects.toThrow("needs an owner");
    await expect(people.setRole(workspace, ann.id, "viewer")).rejects.toThrow("needs an owner");
    await people.addMember(workspace, bob.id, "owner");
    const both = await Promise.allSettled([
      people.removeMember(workspace, ann.id),
      elsewhere.removeMember(workspace, bob.id),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect((await people.members(workspace)).members).toHaveLength(1);
    await expect(people.removeMember(personalWorkspaceOf(ann.id), ann.id)).rejects.toThrow("their own");
    await expect(people.removeMember("wsp_none", ann.id)).rejects.toThrow("no such workspace");
  });

  it("ends access on every node when a role changes or a member is removed", async () => {
    const nodes = await peopleNodes(storage);
    const [{ people }] = nodes;
    const there = nodes.at(-1) ?? nodes[0];
    const [ann, bob] = [await people.ensureUser(profile("ann")), await people.ensureUser(profile("bob"))];
    const { workspace } = await people.createWorkspace(ann.id, "Team");
    await people.addMember(workspace, bob.id, "editor");
    const chosen = { "x-workspace": workspace };
    const identity = await identifyUser(there, bob, chosen, { tags: ["login/x"] });
    const others = await identifyUser(there, ann, chosen, { tags: ["login/y"] });
    const own = await identifyUser(there, bob, {}, { tags: ["login/x"] });
    expect([identity.workspace, identity.role, own.workspace]).toEqual([
      workspace,
      "editor",
      personalWorkspaceOf(bob.id),
    ]);
    await people.setRole(workspace, bob.id, "viewer");
    await aborted(identity.ended);
    const less = await identifyUser(there, bob, chosen, { tags: ["login/x"] });
    expect([less.role, less.ended?.aborted]).toEqual(["viewer", false]);
    await people.removeMember(workspace, bob.id);
    await aborted(less.ended);
    expect([others.ended?.aborted, own.ended?.aborted]).toEqual([false, false]);
    await expect(identifyUser(there, bob, chosen, { tags: [] })).rejects.toThrow(WorkspaceMissingError);
    // The cookie is a preference; the header is binding.
    const kept = { cookie: `a=b; ${WORKSPACE_COOKIE}=${workspace}` };
    expect((await identifyUser(there, bob, kept, { tags: [] })).workspace).toBe(own.workspace);
    expect((await identifyUser(there, ann, kept, { tags: [] })).workspace).toBe(workspace);
  });
});

it("Revocations shares one signal per grant and aborts it when the grant expires", async () => {
  const [{ revocations }] = await peopleNodes("memory");
  const until = Date.now() + 50;
  const signal = revocations.signal({ tags: ["token/x"], until });
  expect(revocations.signal({ tags: ["token/x"], until })).toBe(signal);
  await aborted(signal);
  expect(signal.reason.message).toContain("expired");
});
