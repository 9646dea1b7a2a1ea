import { status } from "@grpc/grpc-js";

/** A refusal that gRPC has a status for and A2A no error. */
export abstract class GrpcRefusal extends Error {
  abstract readonly code: status;
}

/** Nobody knows whose call it is; what `ownerOf` throws then. */
export class UnauthenticatedError extends GrpcRefusal {
  readonly code = status.UNAUTHENTICATED;
}

/** As many streams are open as the server has room for. */
export class TooManyStreamsError extends GrpcRefusal {
  readonly code = status.RESOURCE_EXHAUSTED;

  constructor(limit: number) {
    super(`${limit} streams are open already: try again when one of them has ended`);
  }
}

/** The reader took nothing for too long. */
export class StalledReaderError extends GrpcRefusal {
  readonly code = status.ABORTED;

  constructor(milliseconds: number) {
    super(`Nothing was read for ${milliseconds / 1_000} seconds: subscribe again when you can read`);
  }
}
