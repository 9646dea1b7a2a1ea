import { randomBytes, randomUUID } from "node:crypto";
import { expect, vi } from "vitest";
import { type Answered, GuardedPlatform } from "./guarded-platform.ts";

/** What a test puts in for the names in a path. */
export type Names = Readonly<Record<string, string>>;

/** For tests: a guarded platform where Ann has one of everything, Bob is in her workspace, and another Ann in another one. */
export class MatrixPeople {
  readonly platform: GuardedPlatform;
  readonly ann: string;
  readonly others: { readonly bob: string; readonly ann2: string };
  /** What Ann has, by the names that paths have for it. */
  hers: Record<string, string> = {};

  private constructor(platform: GuardedPlatform, ann: string, others: MatrixPeople["others"]) {
    this.platform = platform;
    this.ann = ann;
    this.others = others;
  }

  static async start(environment: Readonly<Record<string, string>> = {}): Promise<MatrixPeople> {
    const platform = await GuardedPlatform.start(environment);
    const key = await platform.key("ann", "home", { role: "owner" });
    const people = new MatrixPeople(platform, key.secret, {
      bob: (await platform.key("bob", "home")).secret,
      ann2: (await platform.key("ann", "office", { role: "owner" })).secret,
    });
    people.hers = {
      ...(await people.#conversation()),
      ...(await people.#task()),
      key: key.id,
      name: "helper",
    };
    return people;
  }

  /** A key of Ann's with which she only looks. */
  async viewer(): Promise<string> {
    return (await this.platform.key("ann", "home", { role: "viewer" }, this.ann)).secret;
  }

  /** Asks by JSON-RPC, as clients of v0.3 do. */
  call(method: string, params: unknown, key: string): Promise<Answered> {
    return this.platform.ask("POST", "/", { key, body: { jsonrpc: "2.0", id: 1, method, params } });
  }

  /** A session with an answered message, and a file. */
  async #conversation(): Promise<Record<string, string>> {
    const { session } = await this.#post("/sessions", { title: "A secret" });
    const at = `/sessions/${session.id}`;
    const { message, run } = await this.#post(`${at}/messages`, { content: "The secret word" });
    const state = async () =>
      (await this.platform.ask("GET", `/api/v1${at}/runs/${run.id}`, { key: this.ann })).json.run.status;
    await vi.waitFor(async () => expect(await state()).toBe("completed"), { timeout: 60_000 });
    const headers = { "Content-Type": "text/plain", "X-File-Name": "a.txt" };
    const { file } = await this.#post("/files", "secret", headers);
    const ids = { id: session.id, messageId: message.id, runId: run.id, file: file.id };
    return { ...ids, approvalId: "approval-nobody-asked-for" };
  }

  /** A task of the supervisor's, with a webhook. */
  async #task(): Promise<Record<string, string>> {
    const { json, text } = await this.call(
      "message/send",
      { message: said("Another secret word") },
      this.ann,
    );
    expect(json?.result?.id, text).toEqual(expect.any(String));
    const taskId: string = json.result.id;
    const pushNotificationConfig = { id: "hook", url: "https://example.com/hook" };
    await this.call("tasks/pushNotificationConfig/set", { taskId, pushNotificationConfig }, this.ann);
    return { taskId, configId: "hook" };
  }

  async #post(path: string, body: unknown, headers = {}) {
    const answer = await this.platform.ask("POST", `/api/v1${path}`, { key: this.ann, body, headers });
    expect(answer.status, answer.text).toBe(201);
    return answer.json;
  }
}

/** A message as v0.3 has it. */
export function said(text: string) {
  return { messageId: randomUUID(), role: "user", kind: "message", parts: [{ kind: "text", text }] };
}

/** Puts names in, for what stands in braces. */
export function filled(text: string, names: Names): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => names[name] ?? "");
}

/** An unknown id of the same length and alphabet. */
export function unlike(id = ""): string {
  const last = randomBytes(8).toString("hex");
  return id.slice(0, -last.length) + last;
}

/** All of an answer that could tell one from another, with the names in place of what they stand for. */
export function seen({ status, headers, text }: Answered, names: Names): string {
  const told = [...headers].filter(([name]) => name !== "date").map(([name, value]) => `${name}: ${value}`);
  let whole = [status, ...told, text].join("\n");
  for (const [name, value] of Object.entries(names)) whole = whole.replaceAll(value, `{${name}}`);
  return whole;
}
