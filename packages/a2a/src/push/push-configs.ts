import { createHash, randomUUID } from "node:crypto";
import {
  EventsTrimmedError,
  type Journal,
  type SqlDatabase,
  StreamDeletedError,
  UnknownStreamError,
} from "@parley/journal";
import type { OperationRequests, PushConfigPage } from "../dialects/dialect.ts";
import type { EgressPolicy } from "../egress/egress-policy.ts";
import { namespacedTaskId } from "../protocol/chosen-task-id.ts";
import { A2AError, taskNotFound } from "../protocol/errors.ts";
import type { PushConfig } from "../protocol/model.ts";
import type { Caller } from "../tasks/caller.ts";
import type { WebhookRegistrar } from "../tasks/intake/task-intake.ts";
import { findTask } from "../tasks/tables/task-table.ts";
import { type TaskEvent, taskStream } from "../tasks/task-events.ts";
import { checkRegistration } from "./check-registration.ts";
import type { ConfigSeal } from "./config-seal.ts";
import { MAX_CONFIGS } from "./push-table.ts";

type Registration = Extract<TaskEvent, { pushConfigured: unknown }>;

/**
 * Where webhooks wait that a v0.1 client sets before it sends the task, whose id it chooses. They are kept like
 * contexts, and forgotten like these.
 */
function earlyStream(owner: string, taskId: string): string {
  return `context/webhook-${createHash("sha256").update(`${owner}\0${taskId}`).digest("base64url")}`;
}

interface PushConfigRow {
  readonly id: string;
  readonly sealed: string;
  /** The index of the event that first set it: configs are listed in this order. */
  readonly since: number;
}

const COLUMNS = "SELECT id, sealed, since FROM push_configs WHERE task = $1";

async function findConfig(
  database: SqlDatabase,
  taskId: string,
  id: string,
): Promise<PushConfigRow | undefined> {
  const [row] = await database.query<PushConfigRow>(`${COLUMNS} AND id = $2`, [taskId, id]);
  return row;
}

const LARGEST_PAGE = 100;

export interface PushConfigsOptions {
  /** Opened with `taskTable` and a `pushTable` among its projections. */
  readonly journal: Journal;
  readonly seal: ConfigSeal;
  readonly egress: EgressPolicy;
}

/** The webhooks of tasks: set, read and removed by the task's owner alone. */
export class PushConfigs implements WebhookRegistrar {
  readonly #journal: Journal;
  readonly #seal: ConfigSeal;
  readonly #egress: EgressPolicy;

  constructor({ journal, seal, egress }: PushConfigsOptions) {
    this.#journal = journal;
    this.#seal = seal;
    this.#egress = egress;
  }

  /** Sets a webhook; one with the same id is replaced. */
  async create(request: OperationRequests["createPush"], caller: Caller): Promise<PushConfig> {
    const known = await this.#known(request.taskId, caller);
    if (known === undefined && caller.dialect !== "0.1") throw taskNotFound(request.taskId);
    const taskId = known ?? namespacedTaskId(caller.owner, request.taskId);
    const event = await this.registration(taskId, request, caller);
    const { id } = event.pushConfigured;
    if (known === undefined) {
      await this.#journal.append(earlyStream(caller.owner, taskId), [event], { urgent: true });
      return this.#answer(taskId, event.pushConfigured);
    }
    await this.#append(taskId, event);
    const row = await findConfig(this.#journal.database, taskId, id);
    // Others may have been faster since it was counted.
    if (!row) throw tooMany();
    return this.#answer(taskId, row);
  }

  /** Without an id, the one that a caller without ids has set, or else the oldest. */
  async get({ taskId: named, id }: OperationRequests["getPush"], caller: Caller): Promise<PushConfig> {
    const known = await this.#known(named, caller);
    const taskId = known ?? namespacedTaskId(caller.owner, named);
    const early = known === undefined ? await this.early(taskId, caller) : undefined;
    if (early) return this.#answer(taskId, early.pushConfigured);
    if (known === undefined) throw taskNotFound(named);
    const { database } = this.#journal;
    const found = await findConfig(database, taskId, id ?? taskId);
    const row = found ?? (id === undefined ? (await this.#page(taskId, 0, 1))[0] : undefined);
    // None of the three specifications has a specific error for this; v1.0 suggests this one.
    if (!row) throw new A2AError("TaskNotFound", `Task ${taskId} has no such push config`, { taskId });
    return this.#answer(taskId, row);
  }

  async list(request: OperationRequests["listPush"], caller: Caller): Promise<PushConfigPage> {
    const { pageSize = LARGEST_PAGE, pageToken } = request;
    const taskId = await this.#own(request.taskId, caller);
    const size = Math.min(pageSize, LARGEST_PAGE);
    const rows = await this.#page(taskId, pageToken ? placeOf(pageToken) : 0, size + 1);
    const page = rows.slice(0, size);
    const last = rows.length > size ? page.at(-1) : undefined;
    return {
      configs: page.map((row) => this.#answer(taskId, row)),
      nextPageToken: last ? Buffer.from(String(last.since)).toString("base64url") : "",
    };
  }

  /** Removes a webhook and what waits for it; one that is not there is removed already. */
  async delete({ taskId: named, id }: OperationRequests["deletePush"], caller: Caller): Promise<undefined> {
    const taskId = await this.#own(named, caller);
    if (!(await findConfig(this.#journal.database, taskId, id))) return;
    await this.#append(taskId, { pushRemoved: { id } });
  }

  /** The event that registers a webhook; throws InvalidParams with the field. */
  async registration(taskId: string, config: PushConfig, { owner, dialect }: Caller): Promise<Registration> {
    await checkRegistration(config, this.#egress);
    // The older dialects let a client come back without an id: the task's stands for it.
    const id = config.id ?? (dialect === "1.0" ? randomUUID() : taskId);
    if (await this.#isFull(taskId, id, owner)) throw tooMany();
    const sealed = this.#seal.seal({ taskId, id }, config);
    return { pushConfigured: { id, dialect, receiver: new URL(config.url).origin, sealed } };
  }

  /** The webhook that was set for a task before there was one; only v0.1 has that. */
  async early(taskId: string, { owner, dialect }: Caller): Promise<Registration | undefined> {
    if (dialect !== "0.1") return undefined;
    const stream = earlyStream(owner, taskId);
    try {
      const head = await this.#journal.head(stream);
      const [last] = await this.#journal.read<Registration>(stream, head - 1, 1);
      return last?.payload;
    } catch (error) {
      if (error instanceof UnknownStreamError || error instanceof EventsTrimmedError) return undefined;
      throw error;
    }
  }

  // A caller who chose the id of another owner's task must learn nothing about it.
  async #isFull(taskId: string, id: string, owner: string): Promise<boolean> {
    if (!(await findTask(this.#journal.database, owner, taskId))) return false;
    const rows = await this.#page(taskId, 0, MAX_CONFIGS);
    return rows.length >= MAX_CONFIGS && !rows.some((row) => row.id === id);
  }

  /** The configs that were set after this index, oldest first. */
  #page(taskId: string, after: number, limit: number): Promise<PushConfigRow[]> {
    const sql = `${COLUMNS} AND since > $2 ORDER BY since LIMIT $3`;
    return this.#journal.database.query<PushConfigRow>(sql, [taskId, after, limit]);
  }

  // The URL and the scheme are the "configuration details" that v1.0 asks for. The token is not returned, although
  // the SDKs echo it: its owner knows it, and others could forge notifications with it. Credentials never are.
  #answer(taskId: string, { id, sealed }: Pick<PushConfigRow, "id" | "sealed">): PushConfig {
    const { url, authentication } = this.#seal.open({ taskId, id }, sealed);
    return { id, taskId, url, ...(authentication && { authentication: { scheme: authentication.scheme } }) };
  }

  async #own(named: string, caller: Caller): Promise<string> {
    const taskId = await this.#known(named, caller);
    if (taskId === undefined) throw taskNotFound(named);
    return taskId;
  }

  async #known(named: string, { owner }: Caller): Promise<string | undefined> {
    return (await findTask(this.#journal.database, owner, named))?.id;
  }

  async #append(taskId: string, event: TaskEvent): Promise<void> {
    try {
      await this.#journal.append(taskStream(taskId), [event], { urgent: true });
    } catch (error) {
      if (error instanceof StreamDeletedError) throw taskNotFound(taskId);
      throw error;
    }
  }
}

function tooMany(): A2AError {
  const message = `A task has ${MAX_CONFIGS} push configs at most; delete one first`;
  return new A2AError("InvalidParams", message, { field: "id" });
}

function placeOf(token: string): number {
  const place = Buffer.from(token, "base64url").toString();
  if (/^\d{1,15}$/.test(place)) return Number(place);
  throw new A2AError("InvalidParams", "pageToken is not one that this agent gave out", {
    field: "pageToken",
  });
}
