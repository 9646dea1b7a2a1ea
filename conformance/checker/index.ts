export type { ArtifactReport } from "@parley/a2a/checks";
export { type Checker, startChecker } from "./checker.ts";
export { overlap } from "./report.ts";
