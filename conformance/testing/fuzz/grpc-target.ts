import type { FuzzTarget, Probe } from "./fuzz-target.ts";
import { framed, type GrpcAnswer, type GrpcQuestion } from "./grpc-exchange.ts";
import type { GrpcRequest, GrpcRequests } from "./grpc-requests.ts";
import { grpcFault, grpcResultFault } from "./judge-grpc.ts";
import type { Random } from "./random.ts";
import { spoilMetadata } from "./spoil-metadata.ts";
import { spoilProtobuf } from "./spoil-protobuf.ts";

/** gRPC in this version. */
export function grpcTarget(version: string, requests: GrpcRequests): FuzzTarget {
  return {
    name: `gRPC ${version}`,
    probe(tasks, random) {
      const all = requests(tasks);
      if (random.percent(5)) return goodProbe(random.pick(all.filter(({ isRefused }) => !isRefused)));
      // Whatever names the waiting task must not end it: the others still need it.
      const others = all.filter(({ path }) => !path.endsWith("/CancelTask"));
      return spoiltProbe(random.pick(all), random.percent(2) ? random.pick(others).path : undefined, random);
    },
  };
}

function goodProbe(request: GrpcRequest): Probe {
  const question = { path: request.path, headers: {}, body: framed(request.serialize(request.message)) };
  return probeOf(question, (answer) =>
    answer.first
      ? grpcResultFault(request.deserialize(answer.first))
      : `a good request refused: ${answer.status} ${answer.message}`,
  );
}

function spoiltProbe(request: GrpcRequest, otherPath: string | undefined, random: Random): Probe {
  const { body, isFramed } = spoilProtobuf(request, random);
  const asked = { path: otherPath ?? request.path, headers: {}, body };
  const question = random.percent(20) ? spoilMetadata(asked, random) : asked;
  const isPlain = isFramed && question === asked;
  return probeOf(question, (answer) => {
    const fault = grpcFault(answer, { isPlain });
    if (fault || !answer.first || otherPath !== undefined || question.path !== request.path) return fault;
    return grpcResultFault(request.deserialize(answer.first));
  });
}

function probeOf(question: GrpcQuestion, judge: (answer: GrpcAnswer) => string | undefined): Probe {
  return {
    size: JSON.stringify(question.headers).length + question.body.length,
    ask: async ({ grpc }) => judge(await grpc.ask(question)),
    shown() {
      const { path, headers, body } = question;
      return `${path} ${JSON.stringify(headers)} ${body.toString("hex").slice(0, 600)}`;
    },
  };
}
