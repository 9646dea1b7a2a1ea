import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { TOPICS } from "./check.ts";
import { CHECKS } from "./checks/all-checks.ts";
import { doctorPage } from "./testing/doctor-page.ts";

const PAGE = join(import.meta.dirname, "../../../../docs/doctor.md");

describe("CHECKS (+8)", () => {
  it("are documented in docs/doctor.md, which vitest -u rewrites", async () => {
    await expect(doctorPage()).toMatchFileSnapshot(PAGE);
  });

  it("have unique ids", () => {
    const ids = CHECKS.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z]+(-[a-z]+)*$/);
  });

  it("cover every topic of the report, and explain themselves in full sentences", () => {
    expect(new Set(CHECKS.map(({ topic }) => topic))).toEqual(new Set(TOPICS));
    for (const { meaning, remedy } of CHECKS)
      expect([meaning, remedy]).toEqual([expect.stringMatching(/\.$/), expect.stringMatching(/\.$/)]);
  });
});
