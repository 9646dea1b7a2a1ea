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
