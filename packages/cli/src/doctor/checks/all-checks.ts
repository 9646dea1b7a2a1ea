import type { Check } from "../check.ts";
import { cardChecks, reachChecks } from "./card-checks.ts";
import { dialectChecks } from "./dialect-checks.ts";
import { errorChecks } from "./error-checks.ts";
import { httpChecks } from "./http-checks.ts";
import { operationChecks } from "./operation-checks.ts";
import { paceChecks } from "./pace-checks.ts";
import { pushChecks } from "./push-checks.ts";
import { robustnessChecks } from "./robustness-checks.ts";
import { signatureChecks } from "./signature-checks.ts";
import { artifactChecks, streamChecks } from "./stream-checks.ts";
import { workChecks } from "./work-checks.ts";

/** Everything that the doctor looks at, in the order of the report. */
export const CHECKS: readonly Check[] = [
  ...reachChecks,
  ...cardChecks,
  ...signatureChecks,
  ...dialectChecks,
  ...operationChecks,
  ...streamChecks,
  ...artifactChecks,
  ...errorChecks,
  ...workChecks,
  ...pushChecks,
  ...httpChecks,
  ...robustnessChecks,
  ...paceChecks,
];
