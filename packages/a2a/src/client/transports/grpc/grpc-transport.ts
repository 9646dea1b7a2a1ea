import type { AgentEndpoint } from "../../../cards/card-endpoints.ts";
import type { StreamFrame, Transport, TransportSettings } from "../transport.ts";

/** A2A v1.0 and v0.3 over gRPC; the library for it is loaded with the first call. */
export function grpcTransport(endpoint: AgentEndpoint, settings: TransportSettings): Transport | undefined {
  const { binding, dialect, url } = endpoint;
  if (binding !== "GRPC" || dialect === "0.1") return undefined;
  const loaded = () => import("./grpc-exchange.ts");
  return {
    async call(operation, request, call) {
      const { grpcUnary } = await loaded();
      return grpcUnary({ url, dialect, operation, request }, call, settings);
    },
    async *open(operation, request, call): AsyncGenerator<StreamFrame, void, void> {
      const { grpcStream } = await loaded();
      yield* grpcStream({ url, dialect, operation, request }, call, settings);
    },
  };
}
