import type { DialectVersion, Operation, OperationRequests } from "../dialects/dialect.ts";
import { v1Dialect } from "../dialects/v1-dialect.ts";
import { v03Dialect } from "../dialects/v03-dialect.ts";
import { decodeV03ProtoAnswer, v03ProtoEventDecoder } from "../dialects/v03-proto-answers.ts";
import { isObject } from "../dialects/wire-schema.ts";
import type { A2AError } from "../protocol/errors.ts";
import { legacyRestRequest, otherLegacyRestRequest } from "./legacy-rest-requests.ts";
import { decodeRestError } from "./rest-error.ts";
import { type RestRequest, restRequest } from "./rest-requests.ts";

/** What tells one version's REST from another's, for whoever asks. */
export interface RestTongue {
  readonly mediaType: string;
  readonly request: <O extends Operation>(operation: O, request: OperationRequests[O]) => RestRequest;
  /** Another form of a request that was refused, where agents of this version differ. */
  readonly otherwise?: <O extends Operation>(
    operation: O,
    request: OperationRequests[O],
  ) => RestRequest | undefined;
  readonly decodeResult: typeof v1Dialect.decodeResult;
  readonly eventDecoder: typeof v1Dialect.eventDecoder;
  /** The error in a body or in a frame; undefined where there is none. */
  readonly errorIn: (body: unknown) => A2AError | undefined;
}

/** REST in the versions that have it. */
export const REST_TONGUES: Partial<Readonly<Record<DialectVersion, RestTongue>>> = {
  "1.0": {
    mediaType: "application/a2a+json",
    request: restRequest,
    decodeResult: v1Dialect.decodeResult,
    eventDecoder: v1Dialect.eventDecoder,
    errorIn: decodeRestError,
  },
  "0.3": {
    mediaType: "application/json",
    request: legacyRestRequest,
    otherwise: otherLegacyRestRequest,
    decodeResult: decodeV03ProtoAnswer,
    eventDecoder: v03ProtoEventDecoder,
    // The code of JSON-RPC without anything around it; some agents answer as v1.0 does.
    errorIn: (body) =>
      isObject(body) && typeof body.code === "number" ? v03Dialect.decodeError(body) : decodeRestError(body),
  },
};
