import { describe, expect, it } from "vitest";
import { historyHashes } from "../message-history.ts";
import { ann } from "../testing/facade-moves.ts";
import { openRecord, STORAGES } from "../testing/storages.ts";

const run = (runId: string) => ({ runId, agent: "a", agentUrl: "http://a", contextId: runId });
const user = (content: string) => ({ role: "user", content }) as const;
const assistant = (content: string) => ({ role: "assistant", content }) as const;
const created = { type: "session_created", ...ann, title: "" } as const;
const said = (messageId: string, content: string) => ({ type: "user_message", messageId, content }) as const;
const answered = (messageId: string, content: string) =>
  ({ type: "agent_message", messageId, content, runId: "elsewhere" }) as const;

describe.each(STORAGES)("the histories on %s", (storage) => {
  it("find the sessions that begin with the most of a conversation, the latest first, and only one's own", async () => {
    const { sessions } = await openRecord(storage);
    await sessions.adopt(ann, "s", [
      created,
      said("m1", "Hi"),
      answered("m2", "Hello there"),
      said("m3", "Bye"),
    ]);
    await sessions.adopt(ann, "t", [created, said("m1", "Hi"), answered("m2", "Hello there")]);
    const found = (...told: Parameters<typeof historyHashes>[0]) =>
      sessions.ofHistory(ann, historyHashes(told));
    const both = [user("Hi "), assistant(" Hello  there")] as const;
    expect(await found(...both, user("Why?"))).toEqual([
      { sessionId: "t", messages: 2 },
      { sessionId: "s", messages: 2 },
    ]);
    expect(await found(...both, user("Bye"))).toEqual([{ sessionId: "s", messages: 3 }]);
    expect(await found(user("Hi"), assistant("Go away"))).toHaveLength(2);
    expect(await found(user("Ho"))).toEqual([]);
    expect(await found()).toEqual([]);
    const bob = { owner: "bob", workspace: ann.workspace };
    expect(await sessions.ofHistory(bob, historyHashes([user("Hi")]))).toEqual([]);
    await sessions.execute(ann, "t", { type: "delete", until: "2099-01-01T00:00:00.000Z" });
    expect(await found(...both)).toEqual([{ sessionId: "s", messages: 2 }]);
    // A long one is looked up from its end.
    const long = Array.from({ length: 500 }, (_, place) => user(`m${place}`));
    expect(await found(user("Hi"), ...long)).toEqual([{ sessionId: "s", messages: 1 }]);
  });

  it("grow with each message, and include messages from before there was such a table", async () => {
    const { sessions, journal } = await openRecord(storage);
    await sessions.execute(ann, "s", { type: "create", ...ann });
    await sessions.execute(ann, "s", {
      type: "postMessage",
      messageId: "m1",
      content: "One",
      run: run("r1"),
    });
    await sessions.execute(ann, "s", { type: "cancelRun", runId: "r1" });
    await journal.database.transaction((transaction) => transaction.query("DELETE FROM message_histories"));
    await sessions.execute(ann, "s", {
      type: "postMessage",
      messageId: "m2",
      content: "Two",
      run: run("r2"),
    });
    const hashes = historyHashes([user("One"), user("Two")]);
    expect(await sessions.ofHistory(ann, hashes)).toEqual([{ sessionId: "s", messages: 2 }]);
  });

  it("marks beside a session belong to its owner and are not part of its events", async () => {
    const { sessions } = await openRecord(storage);
    await sessions.adopt(ann, "s", [created, said("m1", "Hi")]);
    await sessions.mark(ann, "s", "told");
    expect([...(await sessions.marks(ann, "s"))]).toEqual(["told"]);
    expect((await sessions.state(ann, "s")).index).toBe(2);
    await expect(sessions.marks({ owner: "bob", workspace: ann.workspace }, "s")).rejects.toMatchObject({
      code: "not_found",
    });
  });
});
