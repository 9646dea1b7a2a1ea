import { A2AError, OutcomeUnknownError } from "@parley/a2a";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ConformanceAgent, startConformanceAgent } from "./conformance-agent.ts";
import { clientFor, collected, hasCursors, request, SeenTask, seen, WAYS } from "./testing/agent-client.ts";

let agent: ConformanceAgent;

beforeAll(async () => {
  agent = await startConformanceAgent({ port: 0, grpcPort: 0 });
});
afterAll(() => agent.stop());

describe.each(WAYS)("our client and our agent in $name (+11)", (way) => {
  it("finds the card and uses the requested binding (S1.2)", async () => {
    const client = await clientFor(way, agent.url);
    expect(client.card.name).toBe("Parley conformance agent");
    expect([client.endpoint.dialect, client.endpoint.binding]).toEqual([way.dialect, way.binding]);
    expect(client.agent.findings.filter(({ severity }) => severity === "error")).toEqual([]);
  });

  it("sends a message and gets the task (S1.3, S1.5)", async () => {
    const client = await clientFor(way, agent.url);
    const answer = await client.send(request(`tck-artifact-text-${way.name}`));
    if (!("task" in answer)) throw new Error("answered without a task");
    expect(answer.task).toMatchObject({
      status: { state: "TASK_STATE_COMPLETED" },
      artifacts: [{ parts: [{ text: "Generated text content" }] }],
    });
    expect(await client.get({ id: answer.task.id })).toMatchObject({ id: answer.task.id });
  });

  it("sends a message and gets a message when there is no task", async () => {
    const client = await clientFor(way, agent.url);
    const text = { parts: [{ text: "Direct message response" }] };
    expect(await client.send(request("tck-message-response-1"))).toMatchObject({ message: text });
    const events = await collected(client.stream(request("tck-message-response-2")));
    expect(events).toMatchObject([{ event: { message: text } }]);
  });

  it("streams every character once, and every state (S1.4, S1.15–17)", async () => {
    const client = await clientFor(way, agent.url);
    const text = "a 👩‍👩‍👧 family, é combined, and more\r\n\n".repeat(20);
    const task = await seen(client.stream(request("echo-0-a", text)));
    expect(task.text).toBe(text);
    expect(task.states).toEqual(["TASK_STATE_SUBMITTED", "TASK_STATE_WORKING", "TASK_STATE_COMPLETED"]);
    expect(task.gaps).toEqual([]);
  });

  it("stops at input-required and continues the same task", async () => {
    const client = await clientFor(way, agent.url);
    const task = await seen(client.stream(request("tck-input-required-1")));
    expect(task.lastState).toBe("TASK_STATE_INPUT_REQUIRED");
    const more = await seen(client.stream(request("tck-complete-task-2", "go on", { taskId: task.taskId })));
    expect([more.taskId, more.lastState]).toEqual([task.taskId, "TASK_STATE_COMPLETED"]);
  });

  it("subscribes, and cancel ends the stream of every subscriber (S1.6–7)", async () => {
    const client = await clientFor(way, agent.url);
    const watched = new SeenTask();
    for await (const event of client.stream(request(`echo-50-${way.name}`, "x".repeat(2_000)))) {
      watched.see(event);
      if (watched.text.length > 10) break;
    }
    const rest = seen(client.subscribe(watched.taskId));
    const canceled = await client.cancel({ id: watched.taskId });
    expect(canceled.status.state).toBe("TASK_STATE_CANCELED");
    expect((await rest).lastState).toBe("TASK_STATE_CANCELED");
  });

  it("resumes from a cursor saved by another client, without a gap or a repeat (+1, invariant 5)", async () => {
    const first = await clientFor(way, agent.url);
    const text = "0123456789 👍🏽 ".repeat(60);
    const task = new SeenTask();
    for await (const event of first.stream(request("echo-1-b", text))) {
      task.see(event);
      if (task.text.length > 100) break;
    }
    const second = await clientFor(way, agent.url);
    if (!hasCursors(way)) {
      expect(task.cursor).toBeUndefined();
      const whole = await seen(second.subscribe(task.taskId));
      expect([whole.text, whole.lastState, whole.gaps]).toEqual([text, "TASK_STATE_COMPLETED", []]);
      return;
    }
    if (task.cursor === undefined) throw new Error("there was no cursor");
    await seen(second.subscribe(task.taskId, { after: task.cursor }), task);
    expect([task.text, task.lastState, task.gaps]).toEqual([text, "TASK_STATE_COMPLETED", []]);
    // Again, although the task has ended.
    const again = await seen(second.subscribe(task.taskId, { after: task.cursor }));
    expect([again.text, again.states]).toEqual(["", ["TASK_STATE_COMPLETED"]]);
  });

  it("throws a typed error for each rejection by the agent (S1.21–23)", async () => {
    const client = await clientFor(way, agent.url);
    await expect(client.get({ id: "nope" })).rejects.toMatchObject({ kind: "TaskNotFound" });
    await expect(client.cancel({ id: "nope" })).rejects.toMatchObject({ kind: "TaskNotFound" });
    await expect(seen(client.subscribe("nope"))).rejects.toMatchObject({ kind: "TaskNotFound" });
    const empty = { message: { ...request("m").message, parts: [] } };
    await expect(client.send(empty)).rejects.toMatchObject({ kind: "InvalidParams" });
    await expect(seen(client.stream(empty))).rejects.toMatchObject({ kind: "InvalidParams" });
    const answer = await client.send(request("tck-complete-task-3"));
    if (!("task" in answer)) throw new Error("answered without a task");
    await expect(client.cancel({ id: answer.task.id })).rejects.toMatchObject({ kind: "TaskNotCancelable" });
  });

  it("sets, reads and removes a webhook, as far as the dialect supports it (S1.8–9)", async () => {
    const client = await clientFor(way, agent.url);
    const answer = await client.send(request(`tck-input-required-${way.name}`));
    const taskId = "task" in answer ? answer.task.id : "";
    const set = await client.createPush({ taskId, url: "http://127.0.0.1:9/hook", token: "secret" });
    expect(set).toMatchObject({ url: "http://127.0.0.1:9/hook" });
    const name = { taskId, id: set.id ?? taskId };
    expect(await client.getPush(name)).toMatchObject({ url: set.url });
    if (way.dialect === "0.1") return;
    expect((await client.listPush({ taskId })).configs).toMatchObject([{ url: set.url }]);
    await client.deletePush(name);
    expect((await client.listPush({ taskId })).configs).toEqual([]);
  });

  it("rejects operations that the card does not declare", async () => {
    const client = await clientFor(way, agent.url);
    await expect(client.extendedCard()).rejects.toMatchObject({ kind: "UnsupportedOperation" });
  });

  it("lists tasks if the dialect can", async () => {
    const client = await clientFor(way, agent.url);
    if (way.dialect !== "1.0") {
      await expect(client.list()).rejects.toMatchObject({ kind: "UnsupportedOperation" });
      return;
    }
    await client.send(request("tck-complete-task-4"));
    const page = await client.list({ pageSize: 1, includeArtifacts: true, status: "TASK_STATE_COMPLETED" });
    expect(page.tasks).toHaveLength(1);
    expect((await client.list({ pageSize: 1, pageToken: page.nextPageToken })).tasks).toHaveLength(1);
  });

  it("stops when aborted, and does not cancel the task", async () => {
    const client = await clientFor(way, agent.url);
    const stopping = new AbortController();
    const task = new SeenTask();
    const reading = async () => {
      for await (const event of client.stream(request("echo-5-c", "y".repeat(400)), stopping)) {
        task.see(event);
        if (task.text !== "") stopping.abort(new Error("enough"));
      }
    };
    await expect(reading()).rejects.toThrow("enough");
    const rest = await seen(client.subscribe(task.taskId));
    expect(rest.text).toBe("y".repeat(400));
  });

  it("gives up at the deadline: a read with a timeout, a message with an unknown outcome", async () => {
    const client = await clientFor(way, agent.url);
    const soon = { deadline: new Date(Date.now() + 150) };
    const sent = client.send(request("test-resubscribe-message-id-d"), soon);
    await expect(sent).rejects.toBeInstanceOf(OutcomeUnknownError);
    const later = { deadline: new Date(Date.now() + 1_000) };
    const streamed = seen(client.stream(request("test-resubscribe-message-id-e"), later));
    await expect(streamed).rejects.toMatchObject({ code: "agent_timeout" });
  });

  it("distinguishes protocol errors from its own", async () => {
    const client = await clientFor(way, agent.url);
    await expect(client.get({ id: "nope" })).rejects.toBeInstanceOf(A2AError);
  });
});
