import type { GrpcQuestion } from "./grpc-exchange.ts";
import type { Random } from "./random.ts";

/** Headers that are odd, each with what it may say. */
const ODD_HEADERS: readonly (readonly [name: string, values: readonly string[]])[] = [
  ["a2a-version", ["", "1.0", "0.3", "0.1", "9.9", "latest", "1.0, 0.3", "-1.0", "x".repeat(5_000)]],
  ["a2a-extensions", ["", ",,,", "urn:x", "x".repeat(4_000)]],
  ["idempotency-key", ["", "k", "x".repeat(300), "a b", "../..", "k,k"]],
  ["grpc-timeout", ["", "0n", "1u", "abc", "-1S", "99999999H", "999999999S", "1"]],
  ["grpc-encoding", ["gzip", "deflate", "identity", "br", ""]],
  ["grpc-accept-encoding", ["", "br", "gzip,gzip,gzip"]],
  ["content-type", ["application/json", "application/grpc+json", "application/grpc-web", "text/html", ""]],
  ["x-odd-bin", ["", "!!!", "AAAA", "=".repeat(100)]],
  ["grpc-status", ["0", "13"]],
  ["authorization", ["Bearer ", "Basic x", "x".repeat(4_000)]],
  [":method", ["GET", "PUT", "DELETE", "PATCH"]],
];

const PATHS = [
  "/",
  "/lf.a2a.v1.A2AService/",
  "/lf.a2a.v1.A2AService/Nothing",
  "/lf.a2a.v1.A2AService/sendmessage",
  "/a2a.v1.A2AService/ListTasks",
  "/a2a.v1.A2AService/__proto__",
  "/constructor/toString",
  "//",
  "/%00",
  `/${"x".repeat(5_000)}`,
];

/** A call with one odd header, or to a method that there is not. */
export function spoilMetadata(question: GrpcQuestion, random: Random): GrpcQuestion {
  if (random.percent(20)) return { ...question, path: random.pick(PATHS) };
  const [name, values] = random.pick(ODD_HEADERS);
  return { ...question, headers: { ...question.headers, [name]: random.pick(values) } };
}
