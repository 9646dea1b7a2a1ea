import { openMemoryJournal } from "@parley/journal";
import { expect, it } from "vitest";
import { discardLog } from "../testing/people-nodes.ts";
import { AuditLog } from "./audit-log.ts";
import { CountedAudit } from "./counted-audit.ts";

const stranger = (address: string) => ({ owner: "", name: "unknown", workspace: "default", address });
const refused = (target: string) => ({ action: "key.refused", target }) as const;

async function entries(work: (counted: CountedAudit) => void) {
  const journal = openMemoryJournal();
  const audit = new AuditLog(journal);
  const counted = new CountedAudit(audit, discardLog, (address) => address.replace(/::.*/, ""));
  work(counted);
  await counted.close();
  const found = (await audit.page("default", { limit: 1_000 })).entries;
  await journal.close();
  return found.toReversed();
}

it("CountedAudit writes the first occurrence at once, and repetitions as a count", async () => {
  const noted = await entries((counted) => {
    for (let count = 0; count < 1_000; count++) counted.note(stranger("192.0.2.1"), refused("parley_a"));
    counted.note(stranger("192.0.2.2"), refused("parley_a"));
  });
  expect(noted).toMatchObject([
    { action: "key.refused", target: "parley_a", address: "192.0.2.1" },
    { target: "parley_a", address: "192.0.2.2" },
    { target: "parley_a", address: "192.0.2.1", details: { moreTimes: "999" } },
  ]);
});

it("CountedAudit limits the entries of one network without affecting another", async () => {
  const noted = await entries((counted) => {
    for (let count = 0; count < 5_000; count++)
      counted.note(stranger(`2001:db8::${(count % 250).toString(16)}`), refused(`parley_${count}`));
    counted.note(stranger("192.0.2.2"), refused("parley_b"));
  });
  expect(noted.length).toBeLessThan(60);
  expect(noted).toContainEqual(expect.objectContaining({ address: "192.0.2.2", target: "parley_b" }));
  expect(noted.at(-1)).toMatchObject({ target: "others", details: { moreTimes: "4949" } });
});
