import { freshDatabase } from "@parley/testing/fresh-database.ts";
import { inject } from "vitest";
import { describeJournal } from "../contract/journal-contract.ts";
import { openPostgresJournal } from "./postgres-journal.ts";

describeJournal({
  name: "Postgres",
  survivesClosing: true,
  modelRuns: 500,
  create: async () => {
    const { url, drop } = await freshDatabase(inject("postgresUrl"));
    return { open: (options) => openPostgresJournal({ ...options, url }), remove: drop };
  },
});
