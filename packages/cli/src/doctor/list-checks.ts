import { TOPICS } from "./check.ts";
import { CHECKS } from "./checks/all-checks.ts";

/** The names of all checks, by topic. */
export function listChecks(json: boolean): string {
  if (json)
    return `${JSON.stringify(
      CHECKS.map(({ run: _, ...about }) => about),
      undefined,
      2,
    )}\n`;
  return TOPICS.map((topic) => {
    const lines = CHECKS.filter((check) => check.topic === topic).map(
      ({ id, title }) => `  ${id.padEnd(24)} ${title}\n`,
    );
    return `${topic}\n${lines.join("")}`;
  }).join("\n");
}
