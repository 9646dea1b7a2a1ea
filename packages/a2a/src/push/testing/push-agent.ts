import { randomBytes } from "node:crypto";
import type { Journal } from "@parley/journal";
import { onTestFinished } from "vitest";
import type { EgressPolicy } from "../../egress/egress-policy.ts";
import { parseCidrList } from "../../egress/ip-address.ts";
import type { Message, PushConfig, Task } from "../../protocol/model.ts";
import type { Caller } from "../../tasks/caller.ts";
import type { Executor } from "../../tasks/executor.ts";
import { taskTables } from "../../tasks/tables/task-table.ts";
import { TaskEngine } from "../../tasks/task-engine.ts";
import { TaskOperations } from "../../tasks/task-operations.ts";
import { ScriptedExecutor } from "../../testing/scripted-executor.ts";
import { ConfigSeal } from "../config-seal.ts";
import { DeadLetters } from "../dead-letters.ts";
import { PushConfigs } from "../push-configs.ts";
import { PushDelivery, type PushDeliveryOptions } from "../push-delivery.ts";
import { pushTable } from "../push-table.ts";
import type { OpenJournal } from "./storages.ts";

/** Lets webhooks reach this machine. */
const loopbackAllowed: EgressPolicy = { allow: parseCidrList("127.0.0.1/32,::1/128") };

export const alice: Caller = { owner: "alice", dialect: "1.0" };
export const bob: Caller = { owner: "bob", dialect: "1.0" };

/** Works for hours in a test's time: a second try comes after a few milliseconds. */
export const quickRetries = { firstDelayMs: 5, factor: 1.5, maxDelayMs: 40 };

/** How long a test polls for what has to come. */
export const PATIENCE = { timeout: 60_000 };

/** An agent with webhooks, put together as a composition root does it. */
export interface PushAgent {
  readonly journal: Journal;
  readonly tasks: TaskOperations;
  readonly configs: PushConfigs;
  readonly delivery: PushDelivery;
  readonly deadLetters: DeadLetters;
  /** Sends a message, perhaps with a webhook, and waits for the task to settle. */
  send(text: string, config?: PushConfig, more?: { caller?: Caller; taskId?: string }): Promise<Task>;
}

export type PushAgentOptions = Partial<Omit<PushDeliveryOptions, "journal" | "table">> & {
  readonly executor?: Executor;
};

/** Starts one that stops with the test. */
export async function startPushAgent(open: OpenJournal, options: PushAgentOptions = {}): Promise<PushAgent> {
  const { executor = echoing, seal = new ConfigSeal(randomBytes(32)), egress = loopbackAllowed } = options;
  const table = pushTable();
  const journal = await open([...taskTables, table]);
  const configs = new PushConfigs({ journal, seal, egress });
  // Tests do not rely on polling: a missing wake-up must fail them.
  const defaults = { retries: quickRetries, pollEveryMs: 600_000 };
  const delivery = new PushDelivery({ ...defaults, ...options, journal, table, seal, egress });
  const engine = new TaskEngine({ journal, executor, push: configs });
  const tasks = new TaskOperations(engine, journal);
  await delivery.start();
  onTestFinished(async () => {
    await engine.idle();
    await delivery.stop();
    await journal.close();
  });
  const deadLetters = new DeadLetters(journal.database, () => delivery.wake());
  const send: PushAgent["send"] = async (text, config, { caller = alice, taskId } = {}) => {
    const message: Message = {
      messageId: "m",
      role: "ROLE_USER",
      parts: [{ text }],
      ...(taskId && { taskId }),
    };
    const configuration = config ? { taskPushNotificationConfig: config } : {};
    const answer = await tasks.send({ message, configuration }, caller);
    if (!("task" in answer)) throw new Error("answered without a task");
    return answer.task;
  };
  return { journal, tasks, configs, delivery, deadLetters, send };
}

const echoing = new ScriptedExecutor()
  .on("go", async () => ({ state: "completed", message: "done" }))
  .on("ask", async () => ({ state: "input-required", message: "What?" }))
  .on("write", async (context) => {
    await context.artifact({ name: "result" }).close([{ text: "a text" }]);
    return { state: "completed" };
  });
