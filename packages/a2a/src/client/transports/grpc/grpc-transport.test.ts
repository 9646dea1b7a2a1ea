import { Task } from "@a2a-js/sdk";
import { encodeGrpcStatusDetails, GRPC_STATUS_DETAILS_BIN } from "@a2a-js/sdk/errors/grpc";
import { Metadata, status } from "@grpc/grpc-js";
import { describe, expect, it, vi } from "vitest";
import type { EgressPolicy } from "../../../egress/egress-policy.ts";
import { parseCidrList } from "../../../egress/ip-address.ts";
import { loopbackServer } from "../../../egress/testing/loopback-server.ts";
import { selfSignedCertificate } from "../../../egress/testing/self-signed-certificate.ts";
import { silentClientObserver } from "../../client-observer.ts";
import { type ClientLimits, defaultClientLimits } from "../../client-options.ts";
import { oddGrpcAgent } from "../../testing/odd-grpc-agent.ts";
import type { Transport } from "../transport.ts";
import { grpcTarget } from "./grpc-channel.ts";
import { grpcTransport } from "./grpc-transport.ts";

const TASK = Task.fromJSON({ id: "t", contextId: "c", status: { state: "TASK_STATE_WORKING" } });
const working = {
  getTask: (_: unknown, callback: (error: null, answer: object) => void) => callback(null, TASK),
};
const loopback: EgressPolicy = { allow: parseCidrList("127.0.0.0/8,::1/128") };
const CALL = { headers: {} };

function at(
  url: string | number,
  policy: EgressPolicy = loopback,
  limits: Partial<ClientLimits> = {},
): Transport {
  const target = typeof url === "number" ? `127.0.0.1:${url}` : url;
  const endpoint = { url: target, binding: "GRPC", dialect: "1.0" } as const;
  const settings = { policy, limits: { ...defaultClientLimits, ...limits }, observer: silentClientObserver };
  const transport = grpcTransport(endpoint, settings);
  if (!transport) throw new Error("gRPC is not spoken");
  return transport;
}

const get = (transport: Transport, call = CALL) => transport.call("get", { id: "t" }, call);
const subscribe = (transport: Transport, signal?: AbortSignal) =>
  transport.open("subscribe", { id: "t" }, { ...CALL, signal })[Symbol.asyncIterator]();

describe("the target of a gRPC call", () => {
  it("is the checked address, with TLS for the host name", async () => {
    const certificate = selfSignedCertificate("agents.test");
    const { port } = await oddGrpcAgent(working, { certificate });
    const policy = { ...loopback, lookup: async () => ["127.0.0.1"] };
    const trusting = { ...policy, certificateAuthorities: [certificate.certificate] };
    expect(await get(at(`https://agents.test:${port}`, trusting))).toMatchObject({ id: "t" });
    const unreachable = { code: "agent_unreachable", sent: false };
    await expect(get(at(`https://agents.test:${port}`, policy))).rejects.toMatchObject(unreachable);
    await expect(get(at(`https://others.test:${port}`, trusting))).rejects.toMatchObject(unreachable);
  });

  it("is refused by the egress policy unless allowed, and so is plaintext", async () => {
    const { port, connections } = await loopbackServer((_, response) => response.end());
    await expect(get(at(port, {}))).rejects.toMatchObject({ reason: "address" });
    expect(connections()).toBe(0);
    const policy = { lookup: async () => ["8.8.8.8"] };
    await expect(get(at("http://agents.test:80", policy))).rejects.toMatchObject({ reason: "plain-http" });
  });

  it.each([
    ["agents.test:50051", "8.8.8.8", "https:"],
    ["agents.test:50051", "127.0.0.1", "http:"],
    ["agents.test:443", "127.0.0.1", "https:"],
    ["https://agents.test:50051", "127.0.0.1", "https:"],
    ["[::1]:50051", "", "http:"],
  ])("is, for %s at %s, %s", async (target, address, protocol) => {
    const { url } = await grpcTarget(target, { ...loopback, lookup: async () => [address] });
    expect(url.protocol).toBe(protocol);
  });

  it("is the next address family when the first does not answer", async () => {
    const { port } = await oddGrpcAgent(working);
    const policy = { ...loopback, lookup: async () => ["::1", "127.0.0.1"] };
    expect(await get(at(`both.test:${port}`, policy))).toMatchObject({ id: "t" });
  });

  it("is never the environment's proxy", async () => {
    const proxy = await loopbackServer((_, response) => response.end());
    for (const name of ["grpc_proxy", "https_proxy", "http_proxy"]) {
      vi.stubEnv(name, `http://127.0.0.1:${proxy.port}`);
    }
    const { port } = await oddGrpcAgent(working);
    await get(at(port)).finally(() => vi.unstubAllEnvs());
    expect(proxy.connections()).toBe(0);
  });

  it("is reported as unreachable, distinct from a call that was sent, if nothing listens", async () => {
    const { port } = await loopbackServer((_, response) => response.end());
    await expect(get(at(port))).rejects.toMatchObject({ code: "agent_unreachable", sent: false });
  });
});

describe("a gRPC call is bounded", () => {
  it("in time: for the response, and while a stream is idle", async () => {
    const { port } = await oddGrpcAgent({ getTask: () => undefined, subscribeToTask: () => undefined });
    const transport = at(port, loopback, { read: 50, idle: 50 });
    await expect(get(transport)).rejects.toMatchObject({ code: "agent_timeout", sent: true });
    await expect(subscribe(transport).next()).rejects.toMatchObject({ code: "agent_timeout", sent: true });
  });

  it("in size: an oversized response is not requested again", async () => {
    const { port } = await oddGrpcAgent({
      getTask: (_: unknown, callback: (error: null, answer: object) => void) =>
        callback(null, { ...TASK, id: "x".repeat(5_000) }),
    });
    const refused = get(at(port, loopback, { answerBytes: 1_000 }));
    await expect(refused).rejects.toMatchObject({ code: "agent_response", status: undefined });
  });

  it("by its signal: the agent is notified, and the error is the caller's reason", async () => {
    const left = Promise.withResolvers<void>();
    const { port } = await oddGrpcAgent({
      subscribeToTask: (call: { write(event: object): void; on(event: string, run: () => void): void }) => {
        call.on("cancelled", left.resolve);
        call.write({ payload: { $case: "task", value: TASK } });
      },
    });
    const stopping = new AbortController();
    const frames = subscribe(at(port), stopping.signal);
    expect(await frames.next()).toMatchObject({ value: { events: [{ task: { id: "t" } }] } });
    const next = frames.next();
    stopping.abort(new Error("enough"));
    await expect(next).rejects.toThrow("enough");
    await left.promise;
  });

  it("in content: bytes that are not a message, an invalid number", async () => {
    for (const answer of [Buffer.from("\x0a\xffno"), { ...TASK, metadata: { n: Number.NaN } }]) {
      const { port } = await oddGrpcAgent({
        getTask: (_: unknown, callback: (error: null, answer: object) => void) => callback(null, answer),
      });
      await expect(get(at(port))).rejects.toMatchObject({ kind: "InvalidAgentResponse" });
    }
  });
});

it("a gRPC call carries credentials as metadata, including query credentials", async () => {
  const seen = Promise.withResolvers<Metadata>();
  const { port } = await oddGrpcAgent({
    getTask: (call: { metadata: Metadata }, callback: (error: null, answer: object) => void) => {
      seen.resolve(call.metadata);
      callback(null, TASK);
    },
  });
  await at(port).call("get", { id: "t" }, { headers: { authorization: "Bearer b" }, query: { key: "k" } });
  expect((await seen.promise).getMap()).toMatchObject({ authorization: "Bearer b", key: "k" });
});

describe("an error over gRPC (S1.21–23)", () => {
  const refusing = async (error: object) => {
    const { port } = await oddGrpcAgent({
      getTask: (_: unknown, callback: (error: object) => void) => callback(error),
      cancelTask: (_: unknown, callback: (error: object) => void) => callback(error),
    });
    return at(port);
  };

  it("is recognised by its reason, and keeps its details", async () => {
    const metadata = new Metadata();
    const details = encodeGrpcStatusDetails(9, "why", "TASK_NOT_CANCELABLE", { taskId: "t" });
    metadata.set(GRPC_STATUS_DETAILS_BIN, details);
    const transport = await refusing({ code: status.FAILED_PRECONDITION, details: "why", metadata });
    const expected = { kind: "TaskNotCancelable", message: "why", details: { taskId: "t" } };
    await expect(get(transport)).rejects.toMatchObject(expected);
  });

  it.each([
    ["INVALID_ARGUMENT", "", { kind: "InvalidParams" }],
    ["NOT_FOUND", "", { kind: "TaskNotFound" }],
    ["FAILED_PRECONDITION", "", { kind: "UnsupportedOperation" }],
    ["UNIMPLEMENTED", "not here", { kind: "UnsupportedOperation" }],
    ["UNIMPLEMENTED", "unknown service lf.a2a.v1.A2AService", { kind: "MethodNotFound" }],
    ["INTERNAL", "oh", { kind: "Internal" }],
    ["UNAUTHENTICATED", "", { code: "authentication_required", status: 401 }],
    ["PERMISSION_DENIED", "", { code: "authentication_required", status: 403 }],
    ["RESOURCE_EXHAUSTED", "", { code: "agent_response", status: 429 }],
    ["UNAVAILABLE", "", { code: "agent_unreachable", sent: true }],
    ["DEADLINE_EXCEEDED", "", { code: "agent_timeout", sent: true }],
  ] as const)("without a reason is recognised by its status: %s %s", async (name, details, expected) => {
    await expect(get(await refusing({ code: status[name], details }))).rejects.toMatchObject(expected);
  });

  it("of a task that cannot be canceled is recognised by the operation", async () => {
    const transport = await refusing({ code: status.FAILED_PRECONDITION, details: "" });
    const canceled = transport.call("cancel", { id: "t" }, CALL);
    await expect(canceled).rejects.toMatchObject({ kind: "TaskNotCancelable" });
  });
});
