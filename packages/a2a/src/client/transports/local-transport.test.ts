import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { openMemoryJournal } from "@parley/journal";
import { describe, expect, it, onTestFinished } from "vitest";
import { agentListener } from "../../bindings/agent-listener.ts";
import { agentOperations } from "../../bindings/agent-operations.ts";
import { runExtension } from "../../extension/extension-member.ts";
import type { Message } from "../../protocol/model.ts";
import { taskTables } from "../../tasks/tables/task-table.ts";
import { TaskEngine } from "../../tasks/task-engine.ts";
import { TaskOperations } from "../../tasks/task-operations.ts";
import { ScriptedExecutor } from "../../testing/scripted-executor.ts";
import { A2AClient } from "../a2a-client.ts";
import type { StreamedEvent } from "../streams/resumable-stream.ts";
import { hello, read } from "../testing/odd-agent.ts";
import { localTransport } from "./local-transport.ts";
import type { TransportFactory } from "./transport.ts";

const capabilities = { streaming: true, pushNotifications: false, extensions: [runExtension] };

class Talker extends ScriptedExecutor {
  async reply({ parts }: Message) {
    return parts[0]?.text === "reply" ? "an answer" : undefined;
  }
}

const talker = () =>
  new Talker()
    .on("talk", async (context) => {
      const answer = context.artifact({ artifactId: "answer" });
      for (const word of ["one ", "two ", "three"]) await answer.text(word);
      await answer.close();
      return { state: "completed", message: "done" };
    })
    .on("ask", async () => ({ state: "input-required", message: "which?" }))
    .on("wait", async ({ signal }) => {
      if (!signal.aborted) await once(signal, "abort");
      return undefined;
    });

/** One agent, reached in this process and, to compare, over HTTP. */
async function agent() {
  const journal = openMemoryJournal({ projections: taskTables });
  const executor = talker();
  const engine = new TaskEngine({ journal, executor });
  const operations = agentOperations(new TaskOperations(engine, journal), { capabilities });
  const reported: unknown[] = [];
  const report = (error: unknown) => void reported.push(error);
  const next = (_: unknown, response: { end(): void }) => response.end();
  const server = createServer(
    agentListener({ operations, cards: new Map(), ownerOf: () => "me", report, next }),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.close();
    server.closeAllConnections();
    await engine.suspend();
    await journal.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = `${origin}/`;
  const card = {
    ...{ name: "talker", description: "", version: "1", capabilities, skills: [] },
    ...{ supportedInterfaces: [], defaultInputModes: [], defaultOutputModes: [] },
  };
  const endpoints = [{ url, binding: "JSONRPC", dialect: "1.0" }] as const;
  const client = (transports: readonly TransportFactory[]) =>
    new A2AClient(
      { cardUrl: url, card, endpoints, findings: [] },
      {
        ...{ policy: { allowOrigins: [origin] }, transports },
        limits: { retry: { tries: 1, firstDelayMs: 1, maxDelayMs: 1 } },
      },
    );
  const local = localTransport({ url, operations, owner: "me", report });
  return { here: client([local]), byHttp: client([]), server, executor, reported, journal };
}

async function all(events: AsyncIterable<StreamedEvent>): Promise<StreamedEvent[]> {
  const seen: StreamedEvent[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

describe("an agent in this process", () => {
  it.each(["talk", "ask", "reply"])("answers as over HTTP when asked to %s", async (word) => {
    const { here, byHttp, reported } = await agent();
    const seen = await read(here.stream(hello(word)));
    expect(seen).toEqual(await read(byHttp.stream(hello(word))));
    expect(reported).toEqual([]);
  });

  it("is called without its HTTP server", async () => {
    const { here, server } = await agent();
    server.closeAllConnections();
    server.close();
    expect((await read(here.stream(hello("talk")))).texts).toEqual({ answer: "one two three" });
  });

  it("resumes after a cursor, and reports errors as over HTTP", async () => {
    const { here, byHttp } = await agent();
    const events = await all(here.stream(hello("talk")));
    const [first] = events;
    const taskId = first && "task" in first.event ? first.event.task.id : "";
    const cursors = events.flatMap(({ cursor }) => cursor ?? []);
    const rest = await all(here.subscribe(taskId, { after: cursors[0] as string }));
    expect(rest).toEqual(events.slice(events.findIndex(({ cursor }) => cursor === cursors[0]) + 1));
    for (const client of [here, byHttp]) {
      await expect(client.get({ id: "nobody" })).rejects.toMatchObject({ kind: "TaskNotFound" });
      await expect(client.cancel({ id: taskId })).rejects.toMatchObject({ kind: "TaskNotCancelable" });
      const empty = client.send({ message: { messageId: "m", role: "ROLE_USER", parts: [] } });
      await expect(empty).rejects.toMatchObject({ kind: "InvalidParams" });
    }
  });

  it("sends a cursor with every event, also with events of one commit, so that a reader may stop after any (invariant 7)", async () => {
    const { here, executor } = await agent();
    executor.on("burst", async (context) => {
      const answer = context.artifact({ artifactId: "answer" });
      for (const word of ["one ", "two ", "three"]) void answer.part({ text: word, filename: word });
      return undefined;
    });
    const events = await all(here.stream(hello("burst")));
    const [first] = events;
    const taskId = first && "task" in first.event ? first.event.task.id : "";
    expect(events.length).toBeGreaterThan(3);
    for (const [at, { cursor }] of events.slice(0, -1).entries()) {
      const rest = await all(here.subscribe(taskId, { after: cursor as string }));
      expect(rest).toEqual(events.slice(at + 1));
    }
  });

  it("executes a keyed request once, over any transport", async () => {
    const { here, byHttp, executor } = await agent();
    const request = hello("talk");
    const options = { idempotencyKey: "once" };
    const first = await read(here.stream(request, options));
    const second = await read(byHttp.stream(request, options));
    expect(second.texts).toEqual(first.texts);
    expect(executor.executions).toBe(1);
  });

  it("answers 503 when its storage is unavailable, over every transport (invariant 18)", async () => {
    const { here, byHttp, journal } = await agent();
    await journal.close();
    for (const client of [here, byHttp])
      await expect(client.get({ id: "any" })).rejects.toMatchObject({ code: "agent_response", status: 503 });
  });

  it("keeps working when its reader disconnects", async () => {
    const { here, executor, reported } = await agent();
    const leaving = new AbortController();
    const reading = all(here.stream(hello("wait"), { signal: leaving.signal }));
    await expect.poll(() => executor.executions).toBe(1);
    leaving.abort(new Error("gone"));
    await expect(reading).rejects.toThrow("gone");
    expect(reported).toEqual([]);
    const { tasks } = await here.list({});
    expect(tasks[0]?.status.state).toBe("TASK_STATE_WORKING");
  });
});
