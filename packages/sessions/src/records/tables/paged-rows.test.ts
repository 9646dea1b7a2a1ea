import { describe, expect, it } from "vitest";
import { runStream } from "../../session-streams.ts";
import { ann } from "../testing/facade-moves.ts";
import { openRecord, STORAGES } from "../testing/storages.ts";

describe.each(STORAGES)("lists on %s", (storage) => {
  it("pages of runs and approvals go on where the one before ended, whatever comes meanwhile", async () => {
    const { sessions, journal } = await openRecord(storage);
    await sessions.execute(ann, "s", { type: "create", ...ann });
    const begin = async (n: number) => {
      const run = { runId: `r${n}`, agent: "a", agentUrl: "http://a", contextId: `r${n}` };
      await sessions.execute(ann, "s", { type: "postMessage", messageId: `m${n}`, content: "?", run });
      const lease = await journal.acquire(runStream(run.runId));
      const { runId } = run;
      await sessions
        .session("s")
        .append(
          lease,
          runId,
          [{ type: "approval_requested", runId, approvalId: `p${n}`, question: "?" }],
          [{}],
        );
      await sessions.execute(ann, "s", { type: "cancelRun", runId });
    };
    for (const n of [1, 2, 3, 4, 5]) await begin(n);
    const pages = async (list: (before?: number) => Promise<readonly { id: string; place: number }[]>) => {
      const seen: string[] = [];
      for (let before: number | undefined; ; ) {
        const page = await list(before);
        if (page.length === 0) return seen;
        seen.push(...page.map(({ id }) => id));
        before = page.at(-1)?.place;
        await begin(100 + seen.length + (before ?? 0) * 1_000);
      }
    };
    expect(await pages((before) => sessions.runs(ann, { limit: 2, before }))).toEqual([
      "r5",
      "r4",
      "r3",
      "r2",
      "r1",
    ]);
    expect((await pages((before) => sessions.approvals(ann, { limit: 2, before }))).slice(-5)).toEqual([
      "p5",
      "p4",
      "p3",
      "p2",
      "p1",
    ]);
  });
});
