import { describe, expect, it } from "vitest";
import type { A2AError } from "../protocol/errors.ts";
import type { PushConfig } from "../protocol/model.ts";
import type { Caller } from "../tasks/caller.ts";
import { alice, bob, startPushAgent } from "./testing/push-agent.ts";
import { storages } from "./testing/storages.ts";

const url = "http://127.0.0.1:9/hook";

/** What a call was refused with. */
const refusal = async (call: Promise<unknown>) => {
  const error = (await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )) as A2AError | undefined;
  return error && { kind: error.kind, message: error.message, details: error.details };
};

describe.each(storages)("push configs on %s", (_, open) => {
  const start = async () => {
    const agent = await startPushAgent(open);
    const { id: taskId } = await agent.send("ask");
    const create = (config: Partial<PushConfig>, caller: Caller = alice) =>
      agent.configs.create({ url, taskId, ...config }, caller);
    return { ...agent, taskId, create };
  };

  it("are set, read, listed by page, replaced and removed (S1.8, S1.9)", async () => {
    const { configs, create, taskId } = await start();
    const first = await create({ id: "a" });
    expect(first).toEqual({ id: "a", taskId, url });
    expect((await create({})).id).toMatch(/^[\da-f-]{36}$/);
    await create({ id: "c" });
    await create({ id: "a", url: `${url}/new` });
    expect(await configs.get({ taskId, id: "a" }, alice)).toEqual({ id: "a", taskId, url: `${url}/new` });
    expect((await configs.get({ taskId }, alice)).id).toBe("a");

    const one = await configs.list({ taskId, pageSize: 2 }, alice);
    const two = await configs.list({ taskId, pageSize: 2, pageToken: one.nextPageToken }, alice);
    expect([one.configs.length, two.configs.map(({ id }) => id), two.nextPageToken]).toEqual([2, ["c"], ""]);

    await configs.delete({ taskId, id: "a" }, alice);
    await configs.delete({ taskId, id: "a" }, alice);
    expect(await refusal(configs.get({ taskId, id: "a" }, alice))).toMatchObject({ kind: "TaskNotFound" });
    expect((await configs.list({ taskId }, alice)).configs).toHaveLength(2);
  });

  it("use the task's id where an older dialect has none, and are found without one", async () => {
    const { configs, create, taskId } = await start();
    await create({ id: "first" });
    for (const dialect of ["0.3", "0.1"] as const) {
      const caller = { owner: "alice", dialect };
      expect((await create({}, caller)).id).toBe(taskId);
      expect((await configs.get({ taskId }, caller)).id).toBe(taskId);
    }
    expect((await configs.list({ taskId }, alice)).configs).toHaveLength(2);
  });

  it("of another caller are answered exactly like those of an unknown task (invariant 20)", async () => {
    const { configs, create, taskId } = await start();
    await create({ id: "a" });
    const asked = (id: string) =>
      Promise.all([
        refusal(configs.create({ taskId: id, url: "http://10.0.0.1/" }, bob)),
        refusal(configs.get({ taskId: id, id: "a" }, bob)),
        refusal(configs.list({ taskId: id }, bob)),
        refusal(configs.delete({ taskId: id, id: "a" }, bob)),
      ]);
    const missing = JSON.stringify(await asked("nope")).replaceAll("nope", taskId);
    expect(JSON.stringify(await asked(taskId))).toBe(missing);
    expect(missing).toContain("TaskNotFound");
    expect(await configs.get({ taskId, id: "a" }, alice)).toMatchObject({ id: "a" });
  });

  it("are limited to twenty per task, also when many are set at once", async () => {
    const { configs, tasks, create, taskId } = await start();
    const attempts = Array.from({ length: 30 }, (__, n) => refusal(create({ id: `c${n}` })));
    const refused = (await Promise.all(attempts)).filter((it) => it !== undefined);
    expect(refused).toHaveLength(10);
    expect(refused[0]).toMatchObject({ kind: "InvalidParams" });
    const { configs: kept } = await configs.list({ taskId }, alice);
    expect(kept).toHaveLength(20);
    const replaced = await create({ id: kept[0]?.id ?? "", url: `${url}/2` });
    expect(replaced.url).toBe(`${url}/2`);
    // v0.1 lets callers choose an id: someone else's task of this id, full or not, is another one.
    const message = { messageId: "m", taskId, role: "ROLE_USER" as const, parts: [{ text: "go" }] };
    const configuration = { taskPushNotificationConfig: { url } };
    const foreign = await tasks.send({ message, configuration, clientTaskId: true }, bob);
    expect(foreign).toMatchObject({ task: { id: expect.not.stringMatching(`^${taskId}$`) } });
  });

  it("never return a token or credentials", async () => {
    const { configs, create, taskId } = await start();
    const authentication = { scheme: "Bearer", credentials: "secret-credentials" };
    const answers = [await create({ id: "a", token: "secret-token", authentication })];
    answers.push(await configs.get({ taskId, id: "a" }, alice));
    answers.push(...(await configs.list({ taskId }, alice)).configs);
    for (const answer of answers)
      expect(answer).toEqual({ id: "a", taskId, url, authentication: { scheme: "Bearer" } });
  });

  it("are deleted with their task, together with their pending notifications (A2A-PUSH-2)", async () => {
    const { journal, create, taskId } = await start();
    await create({ id: "a" });
    await journal.append(`task/${taskId}`, [
      {
        statusUpdate: {
          taskId,
          contextId: "c",
          status: { state: "TASK_STATE_FAILED", timestamp: "2030-01-01T00:00:00Z" },
        },
      },
    ]);
    const rows = () =>
      journal.database.query("SELECT task FROM push_configs UNION ALL SELECT task FROM push_outbox");
    expect((await rows()).length).toBeGreaterThan(0);
    await journal.delete(`task/${taskId}`);
    expect(await rows()).toEqual([]);
  });
});

describe("a push config", () => {
  it.each<[string, Partial<PushConfig>, string]>([
    ["a private address", { url: "https://10.1.2.3/hook" }, "url"],
    ["an address of the cloud's own", { url: "http://169.254.169.254/latest" }, "url"],
    ["another scheme", { url: "ftp://example.com/" }, "url"],
    ["no URL", { url: "hook" }, "url"],
    ["a password in the URL", { url: "https://user:pass@example.com/" }, "url"],
    ["a line break in the token", { token: "a\r\nx-evil: 1" }, "token"],
    [
      "a line break in the credentials",
      { authentication: { scheme: "Bearer", credentials: "a\nb" } },
      "authentication.credentials",
    ],
    ["a scheme of two words", { authentication: { scheme: "Bearer x" } }, "authentication.scheme"],
    ["an endless id", { id: "x".repeat(201) }, "id"],
  ])("with %s is refused, with the field, on its own and inline", async (__, config, field) => {
    const memory = storages[0]?.[1];
    if (!memory) throw new Error("no storage");
    const { configs, send } = await startPushAgent(memory);
    const { id: taskId } = await send("ask");
    const direct = await refusal(configs.create({ url, taskId, ...config }, alice));
    expect(direct).toMatchObject({ kind: "InvalidParams", details: { field } });
    expect(await refusal(send("go", { url, ...config }))).toEqual(direct);
  });

  it("whose host name does not resolve yet is accepted: the delivery resolves it again", async () => {
    const memory = storages[0]?.[1];
    if (!memory) throw new Error("no storage");
    const egress = { lookup: () => Promise.reject(new Error("no such name")) };
    const { configs, send } = await startPushAgent(memory, { egress });
    const { id: taskId } = await send("ask");
    expect(await configs.create({ taskId, url: "https://hooks.example/" }, alice)).toMatchObject({ taskId });
  });
});
