import { describe, expect, it } from "vitest";
import { isOperator } from "../access/identity.ts";
import { oidcSettings } from "../oidc-settings.ts";
import { identityOf } from "./chosen-workspace.ts";
import { Operators } from "./operators.ts";
import { People } from "./people.ts";
import { userIdOf } from "./people-events.ts";
import { WorkspaceMissingError } from "./provider-errors.ts";
import { peopleNodes, profile, STORAGES } from "./testing/people-nodes.ts";

const THERE = { "x-workspace": "default" };

describe.each(STORAGES)("operators on %s", (storage) => {
  async function opened(...listed: string[]) {
    const [{ journal, endings }] = await peopleNodes(storage, 1);
    const people = new People(journal, endings, new Operators(listed, profile("").issuer));
    const known = async (name: string, more = {}) => people.known({ ...profile(name), ...more });
    const there = (user: Awaited<ReturnType<typeof known>>) =>
      identityOf({ people, endings }, user, THERE, { tags: [] });
    return { people, known, there, journal, endings };
  }

  it("are those whom the settings list, by an address that their provider vouches for, or by subject (S4.2)", async () => {
    const { known, there, people, journal, endings } = await opened("Ann@Example.com", "sub:bob");
    const [ann, bob, cat] = [
      await known("ann"),
      await known("bob", { email: undefined }),
      await known("cat"),
    ];
    expect([isOperator(await there(ann)), isOperator(await there(bob))]).toEqual([true, true]);
    await expect(there(cat)).rejects.toThrow(WorkspaceMissingError);
    expect((await people.memberships(ann.id)).map(({ workspace }) => workspace).at(-1)).toBe("default");
    expect(await people.memberships(cat.id)).toHaveLength(1);
    // Where nobody vouches for the address, or the subject only looks like one, it is nobody's.
    const eve = await known("eve", { subject: "ann@example.com", email: undefined });
    await expect(there(eve)).rejects.toThrow(WorkspaceMissingError);
    const other = await known("bob", { issuer: "https://elsewhere.example", email: undefined });
    await expect(there(other)).rejects.toThrow(WorkspaceMissingError);
    // Who is not listed any more is none any more.
    const later = new People(journal, endings, new Operators([], ""));
    await expect(identityOf({ people: later, endings }, ann, THERE, { tags: [] })).rejects.toThrow(
      WorkspaceMissingError,
    );
  });

  it("let others be operators too, and cannot be removed but in the settings", async () => {
    const { known, there, people } = await opened("ann@example.com");
    const ann = await known("ann");
    await people.invite("default", { email: "cat@example.com", role: "owner", by: ann.id });
    const cat = await known("cat");
    expect(isOperator(await there(cat))).toBe(true);
    expect((await people.members("default")).members).toMatchObject([
      { userId: ann.id, role: "owner", isSet: true },
      { userId: cat.id, role: "owner" },
    ]);
    await expect(people.remove("default", ann.id)).rejects.toThrow("PARLEY_OPERATORS");
    await expect(people.setRole("default", ann.id, "viewer")).rejects.toThrow("PARLEY_OPERATORS");
    await people.remove("default", cat.id);
    await expect(there(cat)).rejects.toThrow(WorkspaceMissingError);
    await expect(people.add("wsp_none", cat.id, "owner")).rejects.toThrow("no such workspace");
  });
});

it("are listed as addresses and subjects, and anything else is refused when the platform starts", () => {
  const oidc = { PARLEY_OIDC_ISSUER: "https://login.example", PARLEY_OIDC_CLIENT_ID: "parley" };
  const listed = (text: string) => oidcSettings({ ...oidc, PARLEY_OPERATORS: text })?.operators;
  expect(listed(" ann@example.com , sub:auth0|1 ,")).toEqual(["ann@example.com", "sub:auth0|1"]);
  for (const wrong of ["ann", "sub:", "@", "a b@c", "https://x@y"])
    expect(() => listed(wrong), wrong).toThrow("PARLEY_OPERATORS must list addresses");
  expect(() => oidcSettings({ PARLEY_OPERATORS: "ann@example.com" })).toThrow("needs PARLEY_OIDC_ISSUER");
  const { ids } = new Operators(["sub:auth0|1"], "https://login.example");
  expect(ids).toEqual([userIdOf({ issuer: "https://login.example", subject: "auth0|1" })]);
});
