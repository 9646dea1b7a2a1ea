import { randomUUID } from "node:crypto";
import { IndexConflictError, type Journal, UnknownStreamError } from "@parley/journal";
import { CommandRefusedError } from "@parley/sessions";
import type { Role } from "../access/identity.ts";
import type { Endings } from "./endings.ts";
import {
  membersStream,
  type Profile,
  personalWorkspaceOf,
  type UserEvent,
  userIdOf,
  userStream,
  type WorkspacePeopleEvent,
} from "./people-events.ts";
import {
  type Invitation,
  type Member,
  type Membership,
  membershipsOf,
  selectInvitations,
  selectInvitationsOf,
  selectMembers,
  selectRole,
  selectUser,
  type User,
} from "./people-queries.ts";

const TRIES = 10;

/** The users, their workspaces, and who may do what in them: the same on every node. */
export class People {
  readonly #journal: Journal;
  readonly #endings: Endings;

  constructor(journal: Journal, endings: Endings) {
    this.#journal = journal;
    this.#endings = endings;
  }

  user(userId: string): Promise<User | undefined> {
    return selectUser(this.#journal.database, userId);
  }

  /** The user of a profile: with a workspace of their own from the first time on, and in those that they were invited to. */
  async known(profile: Profile): Promise<User> {
    const id = userIdOf(profile);
    const before = await this.user(id);
    if (!before) await this.#welcome(id, profile);
    else if (before.name !== profile.name || before.email !== profile.email)
      await this.#journal.append(userStream(id), [userKnown(profile)], { urgent: true });
    const user = { id, name: profile.name, email: profile.email };
    await this.acceptInvitations(user);
    return user;
  }

  /** Makes a user a member wherever their address was invited. */
  async acceptInvitations({ id, email }: User): Promise<void> {
    if (email === undefined) return;
    for (const { workspace } of await selectInvitationsOf(this.#journal.database, normal(email)))
      await this.#change(workspace, async () => {
        const invitations = await selectInvitations(this.#journal.database, workspace);
        const invited = invitations.find((invitation) => invitation.email === normal(email));
        if (!invited) return [];
        const member = await this.role(workspace, id);
        return [
          { type: "invitation_removed", email: invited.email },
          ...(member ? [] : [{ type: "member_set", userId: id, role: invited.role } as const]),
        ];
      });
  }

  /** Where somebody is a member, their own workspace first. */
  memberships(userId: string): Promise<readonly Membership[]> {
    return membershipsOf(this.#journal.database, userId);
  }

  /** What somebody is in a workspace; undefined: nothing. */
  role(workspace: string, userId: string): Promise<Role | undefined> {
    return selectRole(this.#journal.database, workspace, userId);
  }

  async createWorkspace(userId: string, name: string): Promise<Membership> {
    const workspace = `wsp_${randomUUID().replaceAll("-", "")}`;
    const events: WorkspacePeopleEvent[] = [
      { type: "workspace_named", name },
      { type: "member_set", userId, role: "owner" },
    ];
    await this.#journal.append(membersStream(workspace), events, { expected: 0, urgent: true });
    return { workspace, name, role: "owner" };
  }

  async members(
    workspace: string,
  ): Promise<{ members: readonly Member[]; invitations: readonly Invitation[] }> {
    const { database } = this.#journal;
    return {
      members: await selectMembers(database, workspace),
      invitations: await selectInvitations(database, workspace),
    };
  }

  /** Makes a user that there is a member, at once. */
  async add(workspace: string, userId: string, role: Role): Promise<void> {
    if (!(await this.user(userId)))
      throw new CommandRefusedError(
        "not_found",
        `There is no user ${userId}: ask them for the id on their page`,
      );
    await this.#change(workspace, async () => {
      if (await this.role(workspace, userId))
        throw new CommandRefusedError("conflict", "They are a member already: change their role");
      return [{ type: "member_set", userId, role }];
    });
  }

  /** Whoever signs in with this address is a member from then on. */
  async invite(workspace: string, invitation: Omit<Invitation, "workspace">): Promise<void> {
    const { role, by } = invitation;
    const email = normal(invitation.email);
    await this.#change(workspace, async () => [{ type: "invited", email, role, by }]);
  }

  async uninvite(workspace: string, email: string): Promise<void> {
    await this.#change(workspace, async () => {
      const { invitations } = await this.members(workspace);
      if (!invitations.some((invitation) => invitation.email === normal(email)))
        throw new CommandRefusedError("not_found", "There is no such invitation");
      return [{ type: "invitation_removed", email: normal(email) }];
    });
  }

  async setRole(workspace: string, userId: string, role: Role): Promise<void> {
    await this.#change(workspace, async () => {
      await this.#checkLeaving(workspace, userId, role);
      return [{ type: "member_set", userId, role }];
    });
  }

  /** From then on they see nothing of it, on streams that are open either. */
  async remove(workspace: string, userId: string): Promise<void> {
    await this.#change(
      workspace,
      async () => {
        if (workspace === personalWorkspaceOf(userId))
          throw new CommandRefusedError(
            "conflict",
            "Nobody can be removed from the workspace that is their own",
          );
        await this.#checkLeaving(workspace, userId);
        return [{ type: "member_removed", userId }];
      },
      memberTag(workspace, userId),
    );
  }

  /** A workspace without an owner could never be managed again. */
  async #checkLeaving(workspace: string, userId: string, next?: Role): Promise<void> {
    const { members } = await this.members(workspace);
    const role = members.find((member) => member.userId === userId)?.role;
    if (role === undefined) throw new CommandRefusedError("not_found", "There is no such member");
    const owners = members.filter((member) => member.role === "owner");
    if (role === "owner" && next !== "owner" && owners.length === 1)
      throw new CommandRefusedError("conflict", "A workspace needs an owner: make somebody else one first");
  }

  /** Decides on the workspace as it is, once more where somebody else changed it meanwhile. */
  async #change(
    workspace: string,
    decide: () => Promise<readonly WorkspacePeopleEvent[]>,
    ...ended: readonly string[]
  ): Promise<void> {
    const stream = membersStream(workspace);
    for (let attempt = 1; ; attempt++) {
      const expected = await this.#journal.head(stream).catch((error: unknown) => {
        if (error instanceof UnknownStreamError)
          throw new CommandRefusedError("not_found", "There is no such workspace");
        throw error;
      });
      const events = await decide();
      if (events.length === 0) return;
      try {
        const endings = ended.length > 0 ? [this.#endings.ending(...ended)] : [];
        await this.#journal.appendAll([{ stream, events, expected }, ...endings], { urgent: true });
        return;
      } catch (error) {
        if (!(error instanceof IndexConflictError) || attempt === TRIES) throw error;
      }
    }
  }

  async #welcome(id: string, profile: Profile): Promise<void> {
    const events: WorkspacePeopleEvent[] = [
      { type: "workspace_named", name: profile.name },
      { type: "member_set", userId: id, role: "owner" },
    ];
    try {
      await this.#journal.appendAll(
        [
          { stream: userStream(id), events: [userKnown(profile)], expected: 0 },
          { stream: membersStream(personalWorkspaceOf(id)), events, expected: 0 },
        ],
        { urgent: true },
      );
    } catch (error) {
      // They came to another node at the same time.
      if (!(error instanceof IndexConflictError)) throw error;
    }
  }
}

/** What a membership is called where its end is told. */
export function memberTag(workspace: string, userId: string): string {
  return `member/${workspace}/${userId}`;
}

function userKnown(profile: Profile): UserEvent {
  return { type: "user_known", ...profile };
}

/** Addresses differ in their letters' case only by how somebody wrote them. */
function normal(email: string): string {
  return email.trim().toLowerCase();
}
