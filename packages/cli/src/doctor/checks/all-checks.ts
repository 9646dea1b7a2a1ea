import type { Check } from "../check.ts";
import { cardChecks, reachChecks } from "./card-checks.ts";
import { errorChecks } from "./error-checks.ts";
import { httpChecks } from "./http-checks.ts";
import { interfaceChecks } from "./interface-checks.ts";
import { operationChecks } from "./operation-checks.ts";
import { performanceChecks } from "./performance-checks.ts";
import { pushChecks } from "./push-checks.ts";
import { robustnessChecks } from "./robustness-checks.ts";
import { artifactChecks, streamChecks } from "./stream-checks.ts";
import { taskChecks } from "./task-checks.ts";

/** All checks of the doctor, in the order of the report. */
export const CHECKS: readonly Check[] = [
  ...reachChecks,
  ...cardChecks,
  ...interfaceChecks,
  ...operationChecks,
  ...streamChecks,
  ...artifactChecks,
  ...errorChecks,
  ...taskChecks,
  ...pushChecks,
  ...httpChecks,
  ...robustnessChecks,
  ...performanceChecks,
];
