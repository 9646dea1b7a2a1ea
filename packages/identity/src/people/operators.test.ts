import { describe, expect, it } from "vitest";
import { isOperator } from "../identity.ts";
import { WorkspaceMissingError } from "../identity-errors.ts";
import { identifyUser } from "../logins/login-authenticator.ts";
import { JOURNAL_STORAGES, peopleNodes, profile } from "../testing/people-nodes.ts";
import { Operators } from "./operators.ts";
import { People } from "./people.ts";
import { userIdOf } from "./people-events.ts";

const THERE = { "x-workspace": "default" };

describe.each(JOURNAL_STORAGES)("Operators on %s", (storage) => {
  async function opened(...listed: string[]) {
    const [{ journal, revocations }] = await peopleNodes(storage, 1);
    const people = new People(journal, revocations, new Operators(listed, profile("").issuer));
    const known = async (name: string, more = {}) => people.ensureUser({ ...profile(name), ...more });
    const there = (user: Awaited<ReturnType<typeof known>>) =>
      identifyUser({ people, revocations }, user, THERE, { tags: [] });
    return { people, known, there, journal, revocations };
  }

  it("are listed by verified email address or by subject (S4.2)", async () => {
    const { known, there, people, journal, revocations } = await opened("Ann@Example.com", "sub:bob");
    const [ann, bob, cat] = [
      await known("ann"),
      await known("bob", { email: undefined }),
      await known("cat"),
    ];
    expect([isOperator(await there(ann)), isOperator(await there(bob))]).toEqual([true, true]);
    await expect(there(cat)).rejects.toThrow(WorkspaceMissingError);
    expect((await people.memberships(ann.id)).map(({ workspace }) => workspace).at(-1)).toBe("default");
    expect(await people.memberships(cat.id)).toHaveLength(1);
    // Neither an unverified address nor a subject that looks like one counts.
    const eve = await known("eve", { subject: "ann@example.com", email: undefined });
    await expect(there(eve)).rejects.toThrow(WorkspaceMissingError);
    const other = await known("bob", { issuer: "https://elsewhere.example", email: undefined });
    await expect(there(other)).rejects.toThrow(WorkspaceMissingError);
    // Removing an entry removes the operator.
    const later = new People(journal, revocations, new Operators([], ""));
    await expect(identifyUser({ people: later, revocations }, ann, THERE, { tags: [] })).rejects.toThrow(
      WorkspaceMissingError,
    );
  });

  it("can appoint other operators, and are removed only in the settings", async () => {
    const { known, there, people } = await opened("ann@example.com");
    const ann = await known("ann");
    await people.invite("default", { email: "cat@example.com", role: "owner", by: ann.id });
    const cat = await known("cat");
    expect(isOperator(await there(cat))).toBe(true);
    expect((await people.members("default")).members).toMatchObject([
      { userId: ann.id, role: "owner", isSet: true },
      { userId: cat.id, role: "owner" },
    ]);
    await expect(people.removeMember("default", ann.id)).rejects.toThrow("PARLEY_OPERATORS");
    await expect(people.setRole("default", ann.id, "viewer")).rejects.toThrow("PARLEY_OPERATORS");
    await people.removeMember("default", cat.id);
    await expect(there(cat)).rejects.toThrow(WorkspaceMissingError);
    await expect(people.addMember("wsp_none", cat.id, "owner")).rejects.toThrow("no such workspace");
  });
});

it("Operators derives users' ids from the issuer and their subjects", () => {
  const issuer = "https://login.example";
  const { ids } = new Operators(["sub:auth0|1"], issuer);
  expect(ids).toEqual([userIdOf({ issuer, subject: "auth0|1" })]);
});
