import { encodeGrpcStatusDetails, GRPC_STATUS_DETAILS_BIN } from "@a2a-js/sdk/errors/grpc";
import { Metadata, type StatusObject, status } from "@grpc/grpc-js";
import { INTERNAL_MESSAGE } from "../../dialects/error-codes.ts";
import { reasonOf } from "../../dialects/v1-errors.ts";
import type { A2AError } from "../../protocol/errors.ts";
import { rpcStatus } from "../rest-errors.ts";

/** Errors travel in trailers, which are headers: what a caller wrote must not make them too large to send. */
const LONGEST_MESSAGE = 1_000;
const LONGEST_DETAIL = 200;

/** An error as gRPC has it: a status and, unless it is an internal one, a `google.rpc.ErrorInfo`. */
export function grpcError(error: A2AError): Pick<StatusObject, "code" | "details"> & Partial<StatusObject> {
  const code = status[rpcStatus(error)];
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
