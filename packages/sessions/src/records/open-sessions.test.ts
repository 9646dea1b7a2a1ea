import { expect, it } from "vitest";
import { Sessions } from "../sessions.ts";
import { ann } from "./testing/facade-moves.ts";
import { openRecord } from "./testing/storages.ts";

it("a session that was evicted from memory is the same when it comes back", async () => {
  const { journal } = await openRecord("memory");
  const sessions = new Sessions(journal, { openSessions: 1 });
  for (const id of ["a", "b", "c"]) await sessions.execute(ann, id, { type: "create", ...ann, title: id });
  await Promise.all(
    ["a", "b", "c", "a"].map((id) => sessions.execute(ann, id, { type: "rename", title: `${id}!` })),
  );
  for (const id of ["a", "b", "c"]) expect((await sessions.state(ann, id)).title).toBe(`${id}!`);
});
