import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take more than a minute, the longest first, as far as is known; those that are gone fail a test. */
export const LONGEST: readonly string[] = [
  "chaos/broken-builds.test.ts",
  "packages/web/src/sync/offline.test.ts",
  "conformance/first-five-minutes.test.ts",
  "conformance/sessions/killed-server.test.ts",
  "chaos/chaos.test.ts",
  "packages/web/src/app/screens.test.ts",
  "packages/web/src/conversation/live-work.test.ts",
  "conformance/people/login-moments.test.ts",
  "conformance/people/web-workspace.test.ts",
];

/**
 * Begins with the longest files also where nothing is known of an earlier run: begun late, one of them would go on alone
 * while the other workers have nothing left to do. The files of a project stay together, so that they share workers, and
 * the quick ones of `pure` end the run.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((one, other) => placeOf(one) - placeOf(other) || projectOf(one) - projectOf(other));
  }
}

function placeOf({ moduleId }: TestSpecification): number {
  const place = LONGEST.findIndex((path) => moduleId.endsWith(`/${path}`));
  return place < 0 ? LONGEST.length : place;
}

function projectOf({ project }: TestSpecification): number {
  return ["isolated", "shared", "pure"].indexOf(project.name);
}
