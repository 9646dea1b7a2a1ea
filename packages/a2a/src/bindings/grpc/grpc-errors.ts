import { encodeGrpcStatusDetails, GRPC_STATUS_DETAILS_BIN } from "@a2a-js/sdk/errors/grpc";
import { Metadata, type StatusObject, status } from "@grpc/grpc-js";
import { INTERNAL_MESSAGE } from "../../dialects/error-codes.ts";
import { reasonOf } from "../../dialects/v1-errors.ts";
import type { A2AError, A2AErrorKind } from "../../protocol/errors.ts";
import { rpcStatus } from "../rest-errors.ts";

/** What a call is refused with. */
export type GrpcError = Pick<StatusObject, "code" | "details"> & Partial<StatusObject>;

/** Errors travel in trailers, which are headers: what a caller wrote must not make them too large to send. */
const LONGEST_MESSAGE = 1_000;
const LONGEST_DETAIL = 200;

/** In v0.3 an agent that lacks something says so by this status, and its clients go by the status alone. */
const LACKING_IN_V03 = new Set<A2AErrorKind>(["PushNotificationNotSupported", "UnsupportedOperation"]);

/** An error as gRPC has it: a status and, unless it is an internal one, a `google.rpc.ErrorInfo`. */
export function grpcError(error: A2AError, version: "1.0" | "0.3"): GrpcError {
  const lacking = version === "0.3" && LACKING_IN_V03.has(error.kind);
  const code = lacking ? status.UNIMPLEMENTED : status[rpcStatus(error)];
  if (error.kind === "Internal") return { code, details: INTERNAL_MESSAGE };
  const details = error.message.slice(0, LONGEST_MESSAGE);
  const facts = Object.entries(error.details).map(([name, text]) => [name, text.slice(0, LONGEST_DETAIL)]);
  const metadata = new Metadata();
  metadata.set(
    GRPC_STATUS_DETAILS_BIN,
    encodeGrpcStatusDetails(code, details, reasonOf(error), Object.fromEntries(facts)),
  );
  return { code, details, metadata };
}
