import { describe, expect, it } from "vitest";
import { ann } from "./testing/facade-moves.ts";
import { openRecord, STORAGES } from "./testing/storages.ts";

const ask = (n: string) => ({
  ...{ messageId: `m-${n}`, content: "Which way?" },
  run: { runId: `r-${n}`, agent: n, agentUrl: `http://${n}`, contextId: `r-${n}` },
});

describe.each(STORAGES)("a command of several parts on %s", (storage) => {
  it("is recorded whole or not at all: of forks none is left behind where one cannot be made (+4)", async () => {
    const { sessions } = await openRecord(storage);
    await sessions.execute(ann, "s", { type: "create", ...ann });
    await sessions.execute(ann, "taken", { type: "create", ...ann });
    const branch = (childId: string, agent: string) => ({ fork: { childId }, ask: ask(agent) });
    const compare = (second: string) =>
      sessions.execute(ann, "s", { type: "compare", branches: [branch("c1", "a"), branch(second, "b")] });
    await expect(compare("taken")).rejects.toMatchObject({ code: "conflict" });
    await expect(sessions.state(ann, "c1")).rejects.toMatchObject({ code: "not_found" });
    expect((await sessions.state(ann, "s")).children).toEqual([]);
    const { children } = await compare("c2");
    expect(children.map(({ agent, messages, runs }) => [agent, messages.length, runs.size])).toEqual([
      ["a", 1, 1],
      ["b", 1, 1],
    ]);
    expect((await sessions.list(ann, { limit: 10 })).sessions).toHaveLength(4);
  });

  it("is repeated whole by its key, after more has happened there too (invariant 4)", async () => {
    const { sessions } = await openRecord(storage);
    await sessions.execute(ann, "s", { type: "create", ...ann });
    const branches = ["a", "b"].map((agent) => ({ fork: { childId: `c-${agent}` }, ask: ask(agent) }));
    const options = { key: "k", asked: { agents: ["a", "b"] } };
    const first = await sessions.execute(ann, "s", { type: "compare", branches }, options);
    await sessions.execute(ann, "c-a", { type: "rename", title: "Later" });
    const never = () => Promise.reject(new Error("It was decided anew"));
    expect(await sessions.execute(ann, "s", never, options)).toEqual({ ...first, repeated: true });
    const other = { key: "k", asked: { agents: ["a"] } };
    await expect(sessions.execute(ann, "s", never, other)).rejects.toMatchObject({ name: "KeyReusedError" });
    const forked = await sessions.execute(
      ann,
      "s",
      { type: "fork", at: "end", fork: { childId: "d" }, ask: ask("d") },
      { key: "f" },
    );
    expect(forked.children[0]?.messages.map(({ content }) => content)).toEqual(["Which way?"]);
    expect(forked.children[0]?.runs.get("r-d")?.agent).toBe("d");
  });

  it("changes all or nothing: one part that is refused leaves the others undone", async () => {
    const { sessions } = await openRecord(storage);
    await sessions.execute(ann, "s", { type: "create", ...ann, title: "Old" });
    await sessions.execute(ann, "s", { type: "delete", until: "2020-01-01T00:00:00.000Z" });
    const now = "2026-01-01T00:00:00.000Z";
    const change = { type: "change", title: "New", archived: false, now } as const;
    await expect(sessions.execute(ann, "s", change)).rejects.toMatchObject({ code: "gone" });
    expect((await sessions.state(ann, "s")).title).toBe("Old");
    await sessions.execute(ann, "t", { type: "create", ...ann });
    const config = { thinking: true };
    const { state } = await sessions.execute(ann, "t", {
      ...{ type: "change", title: "New", agent: "b", config, archived: true, now },
    });
    expect(state).toMatchObject({ title: "New", agent: "b", config, status: "archived", index: 5 });
  });
});
