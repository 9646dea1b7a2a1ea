import { randomUUID } from "node:crypto";
import { IndexConflictError, type Journal, type StreamAppend, UnknownStreamError } from "@parley/journal";
import { auditAppend } from "../audit/audit-log.ts";
import { LOCAL_USER, type WorkspaceRole } from "../identity.ts";
import { ChangeRefusedError } from "../identity-errors.ts";
import { noOperators, type Operators } from "./operators.ts";
import {
  type MembershipEvent,
  membersStream,
  type Profile,
  personalWorkspaceOf,
  type UserEvent,
  userIdOf,
  userStream,
} from "./people-events.ts";
import {
  type Membership,
  selectInvitations,
  selectInvitationsOf,
  selectMembers,
  selectMemberships,
  selectRole,
  selectUser,
  selectUsers,
  type User,
  type WorkspaceInvitation,
  type WorkspaceMember,
} from "./people-queries.ts";
import type { Revocations } from "./revocations.ts";

const TRIES = 10;
const MAX_PEOPLE = 1_000;
const MAX_WORKSPACES = 100;

/** Appends in the same transaction as a change: its audit entry, and its idempotency key. */
export type CommittedWith = readonly StreamAppend[];

/** Users, workspaces, and the role of each user in a workspace; the same on every node. */
export class People {
  readonly #journal: Journal;
  readonly #revocations: Revocations;
  readonly #operators: Operators;

  constructor(journal: Journal, revocations: Revocations, operators: Operators = noOperators) {
    this.#journal = journal;
    this.#revocations = revocations;
    this.#operators = operators;
  }

  user(userId: string): Promise<User | undefined> {
    return selectUser(this.#journal.database, userId);
  }

  /** The user of a profile, created with a personal workspace on the first login; accepts pending invitations. */
  async ensureUser(profile: Profile): Promise<User> {
    const id = userIdOf(profile);
    const before = await this.user(id);
    if (!before) await this.#welcome(id, profile);
    else if (before.name !== profile.name || before.email !== profile.email)
      await this.#journal.append(userStream(id), [userKnown(profile)], { urgent: true });
    const user = { id, name: profile.name, email: profile.email };
    await this.acceptInvitations(user);
    return user;
  }

  /** Makes a user a member of every workspace that their address was invited to. */
  async acceptInvitations({ id, name, email }: User): Promise<void> {
    if (email === undefined) return;
    for (const { workspace } of await selectInvitationsOf(this.#journal.database, normal(email))) {
      const entry = { action: "member.joined", target: id, details: { email: normal(email) } } as const;
      const noted = [auditAppend({ owner: id, name, workspace }, entry)];
      await this.#change(workspace, { noted }, async () => {
        const invitations = await selectInvitations(this.#journal.database, workspace);
        const invited = invitations.find((invitation) => invitation.email === normal(email));
        if (!invited) return [];
        const member = await selectRole(this.#journal.database, workspace, id);
        return [
          { type: "invitation_removed", email: invited.email },
          ...(member ? [] : [{ type: "member_set", userId: id, role: invited.role } as const]),
        ];
      });
    }
  }

  /** A user's workspaces, the personal one first. */
  async memberships(userId: string): Promise<readonly Membership[]> {
    const found = await selectMemberships(this.#journal.database, userId);
    if (!(await this.#isOperator(userId))) return found;
    const { workspace } = LOCAL_USER;
    const others = found.filter((membership) => membership.workspace !== workspace);
    return [...others, { workspace, name: workspace, role: "owner" }];
  }

  /** A user's role in a workspace; undefined where they are not a member. */
  async role(workspace: string, userId: string): Promise<WorkspaceRole | undefined> {
    if (workspace === LOCAL_USER.workspace && (await this.#isOperator(userId))) return "owner";
    return selectRole(this.#journal.database, workspace, userId);
  }

  /** Creates a workspace with this user as its owner; `noted` gives the appends to commit with it. */
  async createWorkspace(
    userId: string,
    name: string,
    noted: (made: Membership) => CommittedWith = () => [],
  ): Promise<Membership> {
    const owned = (await this.memberships(userId)).filter(({ role }) => role === "owner");
    if (owned.length >= MAX_WORKSPACES)
      throw new ChangeRefusedError("conflict", `You already own ${MAX_WORKSPACES} workspaces, the maximum`);
    const workspace = `wsp_${randomUUID().replaceAll("-", "")}`;
    const made: Membership = { workspace, name, role: "owner" };
    const events: MembershipEvent[] = [
      { type: "workspace_named", name },
      { type: "member_set", userId, role: "owner" },
    ];
    const unit = [{ stream: membersStream(workspace), events, expected: 0 }, ...noted(made)];
    await this.#journal.appendAll(unit, { urgent: true });
    return made;
  }

  async members(
    workspace: string,
  ): Promise<{ members: readonly WorkspaceMember[]; invitations: readonly WorkspaceInvitation[] }> {
    const { database } = this.#journal;
    const stored = await selectMembers(database, workspace);
    const set = workspace === LOCAL_USER.workspace ? await selectUsers(database, this.#operators) : [];
    const isSet = new Set(set.map(({ id }) => id));
    return {
      members: [
        ...set.map(
          ({ id, name, email }): WorkspaceMember => ({ userId: id, name, email, role: "owner", isSet: true }),
        ),
        ...stored.filter(({ userId }) => !isSet.has(userId)),
      ],
      invitations: await selectInvitations(database, workspace),
    };
  }

  /** Makes an existing user a member. */
  async addMember(
    workspace: string,
    userId: string,
    role: WorkspaceRole,
    noted: CommittedWith = [],
  ): Promise<void> {
    if (!(await this.user(userId)))
      throw new ChangeRefusedError(
        "not_found",
        `There is no user ${userId}: ask them for the id on their page`,
      );
    await this.#change(workspace, { noted }, async () => {
      if (await this.role(workspace, userId))
        throw new ChangeRefusedError("conflict", "This user is a member already: change their role");
      await this.#checkRoom(workspace);
      return [{ type: "member_set", userId, role }];
    });
  }

  /** Makes whoever signs in with this address a member. */
  async invite(
    workspace: string,
    invitation: Omit<WorkspaceInvitation, "workspace">,
    noted: CommittedWith = [],
  ): Promise<void> {
    const { role, by } = invitation;
    const email = normal(invitation.email);
    await this.#change(workspace, { noted }, async () => {
      await this.#checkRoom(workspace);
      return [{ type: "invited", email, role, by }];
    });
  }

  async revokeInvitation(workspace: string, email: string, noted: CommittedWith = []): Promise<void> {
    await this.#change(workspace, { noted }, async () => {
      const { invitations } = await this.members(workspace);
      if (!invitations.some((invitation) => invitation.email === normal(email)))
        throw new ChangeRefusedError("not_found", "There is no such invitation");
      return [{ type: "invitation_removed", email: normal(email) }];
    });
  }

  async setRole(
    workspace: string,
    userId: string,
    role: WorkspaceRole,
    noted: CommittedWith = [],
  ): Promise<void> {
    // Streams that were opened with the old role have to authenticate again.
    await this.#change(workspace, { noted, ended: [memberTag(workspace, userId)] }, async () => {
      if (workspace === personalWorkspaceOf(userId) && role !== "owner")
        throw new ChangeRefusedError("conflict", "The owner of a personal workspace cannot be changed");
      await this.#checkLeaving(workspace, userId, role);
      return [{ type: "member_set", userId, role }];
    });
  }

  /** Removes a member and ends their open streams. */
  async removeMember(workspace: string, userId: string, noted: CommittedWith = []): Promise<void> {
    await this.#change(workspace, { noted, ended: [memberTag(workspace, userId)] }, async () => {
      if (workspace === personalWorkspaceOf(userId))
        throw new ChangeRefusedError("conflict", "Nobody can be removed from their own personal workspace");
      await this.#checkLeaving(workspace, userId);
      return [{ type: "member_removed", userId }];
    });
  }

  /** A workspace without an owner could never be managed again, so the last one stays. */
  async #checkLeaving(workspace: string, userId: string, next?: WorkspaceRole): Promise<void> {
    const { members } = await this.members(workspace);
    const member = members.find((each) => each.userId === userId);
    if (!member) throw new ChangeRefusedError("not_found", "There is no such member");
    if (member.isSet)
      throw new ChangeRefusedError(
        "conflict",
        "PARLEY_OPERATORS makes this user an owner: change that setting instead",
      );
    const owners = members.filter(({ role }) => role === "owner");
    if (member.role === "owner" && next !== "owner" && owners.length === 1)
      throw new ChangeRefusedError(
        "conflict",
        "A workspace needs an owner: make another member an owner first",
      );
  }

  async #checkRoom(workspace: string): Promise<void> {
    const { members, invitations } = await this.members(workspace);
    if (members.length + invitations.length < MAX_PEOPLE) return;
    throw new ChangeRefusedError(
      "conflict",
      `A workspace has at most ${MAX_PEOPLE} members and invitations: remove some first`,
    );
  }

  async #isOperator(userId: string): Promise<boolean> {
    if (this.#operators.isEmpty) return false;
    const user = await this.user(userId);
    return user !== undefined && this.#operators.has(user);
  }

  /** Commits what `decide` returns; decides again where another change came first. */
  async #change(
    workspace: string,
    { noted = [], ended = [] }: { readonly noted?: CommittedWith; readonly ended?: readonly string[] },
    decide: () => Promise<readonly MembershipEvent[]>,
  ): Promise<void> {
    const stream = membersStream(workspace);
    for (let attempt = 1; ; attempt++) {
      const expected = await this.#headOf(workspace);
      const events = await decide();
      if (events.length === 0) return;
      const named: MembershipEvent = { type: "workspace_named", name: workspace };
      const whole = expected === 0 ? [named, ...events] : events;
      try {
        const revocations = ended.length > 0 ? [this.#revocations.revocation(...ended)] : [];
        await this.#journal.appendAll([{ stream, events: whole, expected }, ...revocations, ...noted], {
          urgent: true,
        });
        return;
      } catch (error) {
        if (!(error instanceof IndexConflictError) || attempt === TRIES) throw error;
      }
    }
  }

  /** The platform's own workspace exists before it has members. */
  async #headOf(workspace: string): Promise<number> {
    try {
      return await this.#journal.head(membersStream(workspace));
    } catch (error) {
      if (!(error instanceof UnknownStreamError)) throw error;
      if (workspace === LOCAL_USER.workspace) return 0;
      throw new ChangeRefusedError("not_found", "There is no such workspace");
    }
  }

  async #welcome(id: string, profile: Profile): Promise<void> {
    const events: MembershipEvent[] = [
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
      // Another node created the user at the same time.
      if (!(error instanceof IndexConflictError)) throw error;
    }
  }
}

/** The tag that revokes a membership. */
export function memberTag(workspace: string, userId: string): string {
  return `member/${workspace}/${userId}`;
}

function userKnown(profile: Profile): UserEvent {
  return { type: "user_known", ...profile };
}

/** Email addresses are compared without regard to case. */
function normal(email: string): string {
  return email.trim().toLowerCase();
}
