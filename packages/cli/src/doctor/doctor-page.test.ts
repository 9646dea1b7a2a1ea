import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { TOPICS } from "./check.ts";
import { CHECKS } from "./checks/all-checks.ts";
import { doctorPage } from "./testing/doctor-page.ts";

const PAGE = join(import.meta.dirname, "../../../../docs/doctor.md");

describe("the doctor's checks (+8)", () => {
  it("are explained in docs/doctor.md as they are; vitest -u writes it anew", async () => {
    await expect(doctorPage()).toMatchFileSnapshot(PAGE);
  });

  it("have an id each, which --only takes", () => {
    const ids = CHECKS.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z]+(-[a-z]+)*$/);
  });

  it("fill every topic of the report, and say what to do in whole sentences", () => {
    expect(new Set(CHECKS.map(({ topic }) => topic))).toEqual(new Set(TOPICS));
    for (const { meaning, remedy } of CHECKS)
      expect([meaning, remedy]).toEqual([expect.stringMatching(/\.$/), expect.stringMatching(/\.$/)]);
  });
});
