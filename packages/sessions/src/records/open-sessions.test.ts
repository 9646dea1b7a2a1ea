import { expect, it } from "vitest";
import { Sessions } from "../sessions.ts";
import { OpenSessions } from "./open-sessions.ts";
import { ann } from "./testing/facade-moves.ts";
import { openRecord } from "./testing/storages.ts";

it("keeps only the sessions used last at hand, and one that was let go is the same when it comes back", async () => {
  const { journal } = await openRecord("memory");
  const open = new OpenSessions(journal, 2);
  const first = open.get("a");
  expect(open.get("a")).toBe(first);
  open.get("b");
  open.get("a");
  open.get("c");
  expect([open.size, open.get("a") === first]).toEqual([2, true]);
  const sessions = new Sessions(journal, { openSessions: 1 });
  for (const id of ["a", "b", "c"]) await sessions.execute(ann, id, { type: "create", ...ann, title: id });
  await Promise.all(
    ["a", "b", "c", "a"].map((id) => sessions.execute(ann, id, { type: "rename", title: `${id}!` })),
  );
  for (const id of ["a", "b", "c"]) expect((await sessions.state(ann, id)).title).toBe(`${id}!`);
});
