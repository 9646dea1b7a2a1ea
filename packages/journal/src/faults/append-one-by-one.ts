// Appends events one after the other and prints each acknowledged index, until something stops it.
import { writeSync } from "node:fs";
import { openAt, type Where } from "./storage.ts";

const { where }: { readonly where: Where } = JSON.parse(process.argv[2] ?? "{}");
const journal = await openAt(where);
for (let n = 1; n <= 10_000; n++) {
  const index = await journal.append("a", [{ n }], { urgent: true });
  writeSync(1, `${JSON.stringify(["a", index, `"n":${n}`])}\n`);
}
