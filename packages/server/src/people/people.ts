import { randomUUID } from "node:crypto";
import { IndexConflictError, type Journal, type StreamAppend, UnknownStreamError } from "@parley/journal";
import { CommandRefusedError } from "@parley/sessions";
import { auditAppend } from "../access/audit-log.ts";
import { LOCAL, type Role } from "../access/identity.ts";
import type { Endings } from "./endings.ts";
import { noOperators, type Operators } from "./operators.ts";
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
  selectUsers,
  type User,
} from "./people-queries.ts";

const TRIES = 10;
/** A list that nobody reads is no use, and one that grows for ever is a fault. */
const MOST_PEOPLE = 1_000;
const MOST_WORKSPACES = 100;

/** What is recorded in the unit of a deed, and so exactly if the deed is: who did it, and under which key. */
export type Noted = readonly StreamAppend[];

/** The users, their workspaces, and who may do what in them: the same on every node. */
export class People {
  readonly #journal: Journal;
  readonly #endings: Endings;
  readonly #operators: Operators;

  constructor(journal: Journal, endings: Endings, operators: Operators = noOperators) {
    this.#journal = journal;
    this.#endings = endings;
    this.#operators = operators;
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

  /** Where somebody is a member, their own workspace first. */
  async memberships(userId: string): Promise<readonly Membership[]> {
    const found = await membershipsOf(this.#journal.database, userId);
    if (!(await this.#isOperator(userId))) return found;
    const { workspace } = LOCAL;
    const others = found.filter((membership) => membership.workspace !== workspace);
    return [...others, { workspace, name: workspace, role: "owner" }];
  }

  /** What somebody is in a workspace; undefined: nothing. */
  async role(workspace: string, userId: string): Promise<Role | undefined> {
    if (workspace === LOCAL.workspace && (await this.#isOperator(userId))) return "owner";
    return selectRole(this.#journal.database, workspace, userId);
  }

  /** Makes a workspace, whose owner is its maker; `noted` hears what is made. */
  async createWorkspace(
    userId: string,
    name: string,
    noted: (made: Membership) => Noted = () => [],
  ): Promise<Membership> {
    const owned = (await this.memberships(userId)).filter(({ role }) => role === "owner");
    if (owned.length >= MOST_WORKSPACES)
      throw new CommandRefusedError("conflict", `You own ${MOST_WORKSPACES} workspaces, which is the most`);
    const workspace = `wsp_${randomUUID().replaceAll("-", "")}`;
    const made: Membership = { workspace, name, role: "owner" };
    const events: WorkspacePeopleEvent[] = [
      { type: "workspace_named", name },
      { type: "member_set", userId, role: "owner" },
    ];
    const unit = [{ stream: membersStream(workspace), events, expected: 0 }, ...noted(made)];
    await this.#journal.appendAll(unit, { urgent: true });
    return made;
  }

  async members(
    workspace: string,
  ): Promise<{ members: readonly Member[]; invitations: readonly Invitation[] }> {
    const { database } = this.#journal;
    const stored = await selectMembers(database, workspace);
    const set = workspace === LOCAL.workspace ? await selectUsers(database, this.#operators) : [];
    const isSet = new Set(set.map(({ id }) => id));
    return {
      members: [
        ...set.map(
          ({ id, name, email }): Member => ({ userId: id, name, email, role: "owner", isSet: true }),
        ),
        ...stored.filter(({ userId }) => !isSet.has(userId)),
      ],
      invitations: await selectInvitations(database, workspace),
    };
  }

  /** Makes a user that there is a member, at once. */
  async add(workspace: string, userId: string, role: Role, noted: Noted = []): Promise<void> {
    if (!(await this.user(userId)))
      throw new CommandRefusedError(
        "not_found",
        `There is no user ${userId}: ask them for the id on their page`,
      );
    await this.#change(workspace, { noted }, async () => {
      if (await this.role(workspace, userId))
        throw new CommandRefusedError("conflict", "They are a member already: change their role");
      await this.#checkRoom(workspace);
      return [{ type: "member_set", userId, role }];
    });
  }

  /** Whoever signs in with this address is a member from then on. */
  async invite(
    workspace: string,
    invitation: Omit<Invitation, "workspace">,
    noted: Noted = [],
  ): Promise<void> {
    const { role, by } = invitation;
    const email = normal(invitation.email);
    await this.#change(workspace, { noted }, async () => {
      await this.#checkRoom(workspace);
      return [{ type: "invited", email, role, by }];
    });
  }

  async uninvite(workspace: string, email: string, noted: Noted = []): Promise<void> {
    await this.#change(workspace, { noted }, async () => {
      const { invitations } = await this.members(workspace);
      if (!invitations.some((invitation) => invitation.email === normal(email)))
        throw new CommandRefusedError("not_found", "There is no such invitation");
      return [{ type: "invitation_removed", email: normal(email) }];
    });
  }

  async setRole(workspace: string, userId: string, role: Role, noted: Noted = []): Promise<void> {
    // Whatever was let in by the role before is let in anew.
    await this.#change(workspace, { noted, ended: [memberTag(workspace, userId)] }, async () => {
      if (workspace === personalWorkspaceOf(userId) && role !== "owner")
        throw new CommandRefusedError("conflict", "Everybody owns the workspace that is their own");
      await this.#checkLeaving(workspace, userId, role);
      return [{ type: "member_set", userId, role }];
    });
  }

  /** From then on they see nothing of it, on streams that are open either. */
  async remove(workspace: string, userId: string, noted: Noted = []): Promise<void> {
    await this.#change(workspace, { noted, ended: [memberTag(workspace, userId)] }, async () => {
      if (workspace === personalWorkspaceOf(userId))
        throw new CommandRefusedError(
          "conflict",
          "Nobody can be removed from the workspace that is their own",
        );
      await this.#checkLeaving(workspace, userId);
      return [{ type: "member_removed", userId }];
    });
  }

  /** A workspace without an owner could never be managed again. */
  async #checkLeaving(workspace: string, userId: string, next?: Role): Promise<void> {
    const { members } = await this.members(workspace);
    const member = members.find((each) => each.userId === userId);
    if (!member) throw new CommandRefusedError("not_found", "There is no such member");
    if (member.isSet)
      throw new CommandRefusedError("conflict", "PARLEY_OPERATORS makes them an owner: it is changed there");
    const owners = members.filter(({ role }) => role === "owner");
    if (member.role === "owner" && next !== "owner" && owners.length === 1)
      throw new CommandRefusedError("conflict", "A workspace needs an owner: make somebody else one first");
  }

  async #checkRoom(workspace: string): Promise<void> {
    const { members, invitations } = await this.members(workspace);
    if (members.length + invitations.length < MOST_PEOPLE) return;
    throw new CommandRefusedError(
      "conflict",
      `A workspace has up to ${MOST_PEOPLE} people: remove some first`,
    );
  }

  async #isOperator(userId: string): Promise<boolean> {
    if (this.#operators.isEmpty) return false;
    const user = await this.user(userId);
    return user !== undefined && this.#operators.has(user);
  }

  /** Decides on the workspace as it is, once more where somebody else changed it meanwhile. */
  async #change(
    workspace: string,
    { noted = [], ended = [] }: { readonly noted?: Noted; readonly ended?: readonly string[] },
    decide: () => Promise<readonly WorkspacePeopleEvent[]>,
  ): Promise<void> {
    const stream = membersStream(workspace);
    for (let attempt = 1; ; attempt++) {
      const expected = await this.#headOf(workspace);
      const events = await decide();
      if (events.length === 0) return;
      const named: WorkspacePeopleEvent = { type: "workspace_named", name: workspace };
      const whole = expected === 0 ? [named, ...events] : events;
      try {
        const endings = ended.length > 0 ? [this.#endings.ending(...ended)] : [];
        await this.#journal.appendAll([{ stream, events: whole, expected }, ...endings, ...noted], {
          urgent: true,
        });
        return;
      } catch (error) {
        if (!(error instanceof IndexConflictError) || attempt === TRIES) throw error;
      }
    }
  }

  /** The platform's own workspace is there before anybody is in it. */
  async #headOf(workspace: string): Promise<number> {
    try {
      return await this.#journal.head(membersStream(workspace));
    } catch (error) {
      if (!(error instanceof UnknownStreamError)) throw error;
      if (workspace === LOCAL.workspace) return 0;
      throw new CommandRefusedError("not_found", "There is no such workspace");
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
