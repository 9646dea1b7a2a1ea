export { restStatus } from "../bindings/http-error.ts";
export type { CardDocument } from "../cards/canonical-card.ts";
export { CardSignatureError, readSignatureHeader, verifyCard } from "../cards/card-verification.ts";
export { type CardReading, readCard } from "../cards/read-card.ts";
export { keySetFetcher } from "../cards/trusted-keys.ts";
export { cardPlaces } from "../client/agent-cards.ts";
export { AuthenticationRequiredError } from "../client/client-errors.ts";
export { defaultClientLimits } from "../client/client-options.ts";
export { endpointUrl } from "../client/transports/http-transport.ts";
export { REST_ENCODINGS } from "../client/transports/rest-transport.ts";
export { DIALECTS, dialectOfVersion } from "../dialects/choose-dialect.ts";
export type {
  DialectVersion,
  Operation,
  OperationRequests,
  OperationResults,
  UnaryOperation,
} from "../dialects/dialect.ts";
export { EgressTimeoutError, HostNotFoundError, ResponseTooLargeError } from "../egress/egress-errors.ts";
export { guardedFetch } from "../egress/guarded-fetch.ts";
export { A2A_ERRORS, A2AError } from "../protocol/errors.ts";
export { ArtifactTexts } from "./artifact-texts.ts";
export { type ReadEvent, readEvent } from "./read-event.ts";
export { type SseFrame, SseSplitter } from "./sse-splitter.ts";
export { isOver, isSettledState, StreamCheck } from "./stream-check.ts";
export type { ArtifactReport, Rule, StreamReport } from "./stream-report.ts";
