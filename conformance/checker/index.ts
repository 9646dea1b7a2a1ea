export { type Checker, startChecker } from "./checker.ts";
export {
  type ArtifactReport,
  type CheckerReport,
  overlap,
  type Rule,
  type StreamReport,
  type Violation,
} from "./report.ts";
