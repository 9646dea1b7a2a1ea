import { eventFlow } from "./event-flow.ts";
import { invariants } from "./invariants.ts";
import { gotWrong, sdkDefects } from "./known-mistakes.ts";
import { ours } from "./ours.ts";
import { protocolInFull } from "./protocol-in-full.ts";
import type { Requirement } from "./requirement.ts";
import { specification } from "./specification.ts";
import { streamingAndArtifacts } from "./streaming-and-artifacts.ts";
import { systemOfRecord } from "./system-of-record.ts";

/** Everything that is demanded of the platform, now or later. */
export const MANIFEST: readonly Requirement[] = [
  ...eventFlow,
  ...protocolInFull,
  ...streamingAndArtifacts,
  ...systemOfRecord,
  ...ours,
  ...invariants,
  ...gotWrong,
  ...sdkDefects,
  ...specification,
];

/**
 * Demanded, but being built just now, so that no test shows them yet. As soon as a test cites one of them, it has to
 * leave this list; the list is to be empty when the step is done.
 */
export const PENDING: ReadonlySet<string> = new Set([
  // Webhooks.
  "S1.25",
  "D7",
  "invariant 14",
  "A2A-PUSH-2",
  "A2A-PUSH-3",
  "A2A-PUSH-4",
  "A2A-PUSH-5",
  // Idempotency keys, declared capabilities, extensions, logs and metrics.
  "invariant 4",
  "A2A-STREAM-5",
  "A2A-CARD-3",
  "A2A-CARD-4",
  "A2A-EXT-1",
  "S3.5",
  "S3.8",
  // gRPC.
  "A2A-GRPC-1",
  "A2A-GRPC-2",
]);
