import { storedIds } from "@parley/adapters/mcp/tools/agent-tools.ts";
import { openMemoryJournal } from "@parley/journal";
import { expect, it, onTestFinished } from "vitest";
import { BlobFiles } from "../../../api/files/blob-files.ts";
import { journalTables } from "../../../journal-tables.ts";

const ANN = { owner: "ann", workspace: "default" };

it("storedIds accepts Base64 with or without padding and line breaks, and rejects anything else in linear time", async () => {
  const journal = openMemoryJournal({ projections: journalTables() });
  onTestFinished(() => journal.close());
  const files = new BlobFiles(journal);
  const stored = (base64: string) => storedIds(files, ANN, [{ name: "a", base64 }]);
  const [hello] = await stored("aGVsbG8=");
  for (const same of ["aGVsbG8", "aGVs\nbG8=\n"]) expect(await stored(same)).toEqual([hello]);
  // Looked at from each of its characters on, it would keep the node busy for minutes.
  for (const none of ["?", "aGV=sbG8", `${"=".repeat(500_000)}A`])
    await expect(stored(none)).rejects.toThrow("must be Base64");
});
