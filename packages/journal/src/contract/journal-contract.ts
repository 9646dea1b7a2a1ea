import { afterEach, beforeEach, describe } from "vitest";
import type { Journal } from "../journal.ts";
import { describeAppends } from "./append-contract.ts";
import { describeBadInput } from "./bad-input-contract.ts";
import { describeBlobs } from "./blob-contract.ts";
import { describeFollowing } from "./follow-contract.ts";
import type { JournalFixture, JournalUnderTest, StorageKind } from "./journal-fixture.ts";
import { describeLeases } from "./lease-contract.ts";
import { describeMerging } from "./merge-contract.ts";
import { describeModel } from "./model-contract.ts";
import { describeProjections } from "./projection-contract.ts";
import { describeShrinking } from "./shrink-contract.ts";

/** What every journal promises, whatever it is stored in. */
export function describeJournal(fixture: JournalFixture): void {
  describe(`${fixture.name} journal`, () => {
    let storage: StorageKind;
    let journal: Journal;
    const test: JournalUnderTest = {
      get current() {
        return journal;
      },
      async reopen(options) {
        await journal.close();
        journal = await storage.open(options);
      },
    };

    beforeEach(async () => {
      storage = await fixture.create();
      journal = await storage.open();
    });
    afterEach(async () => {
      await journal.close();
      await storage.remove();
    });

    describeAppends(test, fixture.survivesClosing);
    describeLeases(test);
    describeFollowing(test);
    describeMerging(test);
    describeShrinking(test, fixture.survivesClosing);
    describeProjections(test);
    describeBlobs(test, fixture.survivesClosing);
    describeBadInput(test);
    describeModel(test, fixture.modelRuns);
  });
}
