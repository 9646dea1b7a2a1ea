import { describeJournal } from "../contract/journal-contract.ts";
import { openMemoryJournal } from "./memory-journal.ts";

describeJournal({
  name: "memory",
  survivesClosing: false,
  modelRuns: 2_000,
  create: async () => ({
    open: async (options) => openMemoryJournal(options),
    remove: async () => {},
  }),
});
