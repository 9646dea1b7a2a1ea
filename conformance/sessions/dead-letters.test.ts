import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import {
  ConfigSeal,
  DeadLetters,
  type Executor,
  PushConfigs,
  PushDelivery,
  parseCidrList,
  pushTable,
  silentPushObserver,
  TaskEngine,
  TaskOperations,
  taskTables,
} from "@parley/a2a";
import { openMemoryJournal } from "@parley/journal";
import { sessionTables } from "@parley/sessions";
import { bareEnvironment } from "@parley/testing/bare-environment.ts";
import { WebhookReceiver } from "@parley/testing/webhook-receiver.ts";
import { expect, it, onTestFinished } from "vitest";
import { ApiServer } from "../../packages/server/src/api/testing/api-server.ts";

const MAIN = fileURLToPath(new URL("../../packages/cli/src/main.ts", import.meta.url));
const DEAD = "/api/v1/webhooks/dead-letters";
const executor: Executor = { execute: async () => undefined };

/** The API over an agent's journal, with one dead letter of Ann's. */
async function started() {
  let isUp = false;
  const receiver = await WebhookReceiver.start(() => (isUp ? 200 : 500));
  const table = pushTable();
  const journal = openMemoryJournal({ projections: [...taskTables, table, ...sessionTables] });
  const [seal, egress] = [new ConfigSeal(randomBytes(32)), { allow: parseCidrList("127.0.0.1/32") }];
  const push = new PushConfigs({ journal, seal, egress });
  const retries = { tries: 2, firstDelayMs: 5, factor: 1, maxDelayMs: 5 };
  const delivery = new PushDelivery({ journal, table, seal, egress, retries, observer: silentPushObserver });
  await delivery.start();
  const tasks = new TaskOperations(new TaskEngine({ journal, executor, agent: "writer", push }), journal);
  const deadLetters = new DeadLetters(journal.database, () => delivery.wake(), { perAgent: true });
  const api = await ApiServer.start({}, journal, { deadLetters });
  onTestFinished(async () => {
    await api.stop();
    await delivery.stop();
  });
  const message = { messageId: "m", role: "ROLE_USER", parts: [{ text: "Go" }] } as const;
  const configuration = { taskPushNotificationConfig: { id: "hook", url: receiver.url() } };
  const answer = await tasks.send(
    { message, configuration },
    { owner: "writer/default/ann", dialect: "1.0" },
  );
  if (!("task" in answer)) throw new Error("answered without a task");
  const list = async (owner = "ann", query = "") =>
    (await api.ask("GET", `${DEAD}${query}`, undefined, { "x-test-owner": owner })).json;
  await expect.poll(async () => (await list()).deadLetters.length).toBe(3);
  const up = () => {
    isUp = true;
  };
  return { api, receiver, taskId: answer.task.id, list, up };
}

it("only the owner of a task can list and replay its dead-lettered notifications (S1.25)", async () => {
  const { api, receiver, taskId, list, up } = await started();
  const { deadLetters } = await list();
  const [letter] = deadLetters;
  expect(letter).toEqual({
    taskId,
    webhookId: "hook",
    index: expect.any(Number),
    receiver: new URL(receiver.url()).origin,
    tries: 2,
    error: "The receiver answered 500",
    diedAt: expect.stringMatching(/^\d{4}-/),
  });
  expect([await list("bob"), await list("ann", "?taskId=other")]).toEqual([
    { deadLetters: [] },
    { deadLetters: [] },
  ]);
  // A user whose name equals a task owner's id owns none of its tasks.
  expect(await list("writer/default/ann")).toEqual({ deadLetters: [] });
  up();
  const replay = (body: object, owner = "ann") =>
    api.ask("POST", `${DEAD}/replay`, body, { "x-test-owner": owner });
  expect((await replay({ taskId }, "bob")).json).toEqual({ replayed: 0 });
  expect((await replay({ taskId, index: -1 })).status).toBe(422);
  expect((await replay({})).status).toBe(422);
  expect((await replay({ taskId, webhookId: "hook" })).json).toEqual({ replayed: deadLetters.length });
  await receiver.until(() => receiver.taken.length === deadLetters.length);
  await expect.poll(() => list()).toEqual({ deadLetters: [] });
});

it("parley webhooks lists and replays dead letters, and reports when there are none (S1.25)", async () => {
  const { api, receiver, taskId, up } = await started();
  const parley = async (...args: readonly string[]) => {
    const child = spawn(process.execPath, [MAIN, "webhooks", ...args], {
      env: { ...bareEnvironment(), NO_COLOR: "1", PARLEY_URL: api.url },
    });
    const [out, err, code] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      new Promise((resolve) => child.once("close", resolve)),
    ]);
    return { out, err, code };
  };
  const listed = await parley();
  expect(listed.out).toMatch(
    new RegExp(
      `^task +webhook +index .*\\n${taskId} +hook .* 2 +http://127.0.0.1:.*The receiver answered 500`,
    ),
  );
  const { deadLetters } = JSON.parse((await parley("list", "--json", "--task", taskId)).out);
  expect(deadLetters[0]).toMatchObject({ taskId, tries: 2 });
  up();
  const replayed = await parley("replay", taskId, "--index", String(deadLetters[0].index));
  expect([replayed.code, replayed.out]).toEqual([0, "Resending 1 notification\n"]);
  await receiver.until(() => receiver.taken.length === 1);
  expect(await parley("replay", "no-such-task")).toEqual({
    out: "",
    err: 'No undelivered notification matches; "parley webhooks list" lists them\n',
    code: 1,
  });
  expect((await parley("replay", taskId, "--index", "first")).code).toBe(2);
});
