import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeJournal } from "../contract/journal-contract.ts";
import { openSqliteJournal } from "./sqlite-journal.ts";

describeJournal({
  name: "SQLite",
  survivesClosing: true,
  modelRuns: 1_000,
  create: async () => {
    const folder = await mkdtemp(join(tmpdir(), "parley-journal-"));
    return {
      open: (options) => openSqliteJournal({ ...options, folder }),
      remove: () => rm(folder, { recursive: true }),
    };
  },
});
