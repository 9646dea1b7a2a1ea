export type { ArtifactReport, Rule, StreamReport } from "@parley/a2a/checks";
export { type Checker, startChecker } from "./checker.ts";
export { type CheckerReport, overlap, type Violation } from "./report.ts";
