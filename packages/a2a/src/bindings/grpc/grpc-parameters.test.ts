import { once } from "node:events";
import { A2AService } from "@a2a-js/sdk/server/grpc";
import { Client, credentials, Metadata } from "@grpc/grpc-js";
import { expect, it, onTestFinished } from "vitest";
import { TaskOperations } from "../../tasks/task-operations.ts";
import type { AgentOptions } from "../agent-operations.ts";
import { sendRequest, startGrpcAgent } from "../testing/grpc-agent.ts";
import { GrpcCaller, refusalOf } from "../testing/grpc-client.ts";
import { scriptedAgent } from "../testing/scripted-agent.ts";

const start = async (options: AgentOptions = {}) => {
  const served = await startGrpcAgent(scriptedAgent(TaskOperations, options));
  const legacy = new GrpcCaller(served.server.port, "0.3");
  onTestFinished(async () => {
    legacy.close();
    await served.stop();
  });
  return { ...served, legacy };
};

const uri = "urn:needed";
const needing = { capabilities: { streaming: true, extensions: [{ uri, required: true }] } };
const get = { id: "t", tenant: "", historyLength: 0 };

it("an extension that is required must be named over gRPC too (A2A-EXT-1, A2A-GRPC-1, A2A-EQUAL-1)", async () => {
  const { caller, legacy } = await start(needing);
  const missing = { code: "FAILED_PRECONDITION", info: { reason: "EXTENSION_SUPPORT_REQUIRED" } };
  expect(await refusalOf(caller.ask("getTask", get))).toMatchObject(missing);
  expect(await refusalOf(caller.stream("subscribeToTask", get).toArray())).toMatchObject(missing);
  expect(await refusalOf(legacy.ask("getTask", { name: "tasks/t", historyLength: 0 }))).toMatchObject(
    missing,
  );
  for (const name of ["a2a-extensions", "x-a2a-extensions"]) {
    const headers = { [name]: `urn:other, ${uri}` };
    expect(await refusalOf(caller.ask("getTask", get, headers))).toMatchObject({ code: "NOT_FOUND" });
  }
});

it("active extensions are named in the response metadata", async () => {
  const { caller } = await start(needing);
  const stream = caller.stream("sendStreamingMessage", sendRequest("say"), {}, { "a2a-extensions": uri });
  const named = once(stream, "metadata") as Promise<[Metadata]>;
  await stream.toArray();
  expect((await named)[0].get("a2a-extensions")).toEqual([uri]);
});

it("the extended card is for authenticated callers only, over gRPC too (A2A-CARD-4)", async () => {
  const capabilities = { streaming: true, extendedAgentCard: true };
  const { caller } = await start({ capabilities, extendedCard: { name: "secret" } });
  const ask = (headers = {}) => caller.ask("getExtendedAgentCard", { tenant: "" }, headers);
  expect(await refusalOf(ask())).toMatchObject({ code: "UNAUTHENTICATED" });
  expect(await ask({ authorization: "Bearer a" })).toMatchObject({ name: "secret" });
});

it("a request repeated under its key has one effect, over gRPC too (invariant 4)", async () => {
  const { caller } = await start();
  const key = { "idempotency-key": "k" };
  const [first, second] = [
    await caller.ask("sendMessage", sendRequest("say"), key),
    await caller.ask("sendMessage", sendRequest("say"), key),
  ];
  expect(second).toEqual(first);
  const [task] = await caller.stream("sendStreamingMessage", sendRequest("say"), {}, key).toArray();
  expect(task).toMatchObject({ payload: { $case: "task", value: { id: idIn(first) } } });
  expect(await refusalOf(caller.ask("sendMessage", sendRequest("ask"), key))).toMatchObject({
    code: "INVALID_ARGUMENT",
  });
});

it("a parameter given twice with different values is ignored, as over HTTP (A2A-EQUAL-1)", async () => {
  const { server } = await start();
  const client = new Client(`127.0.0.1:${server.port}`, credentials.createInsecure());
  onTestFinished(() => client.close());
  const { path, requestSerialize, responseDeserialize } = A2AService.sendMessage;
  const send = (name: string, ...values: string[]) => {
    const metadata = new Metadata();
    for (const value of values) metadata.add(name, value);
    return new Promise((resolve, reject) =>
      client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        sendRequest("say"),
        metadata,
        (error, answer) => (error ? reject(error) : resolve(answer)),
      ),
    );
  };
  expect(await refusalOf(send("idempotency-key", "a", "b"))).toMatchObject({ code: "INVALID_ARGUMENT" });
  expect(await refusalOf(send("a2a-version", "1.0", "0.3"))).toMatchObject({ code: "FAILED_PRECONDITION" });
});

function idIn(answer: unknown): string {
  return (answer as { payload: { value: { id: string } } }).payload.value.id;
}
