// Trims a stream event by event, each a write of its own, until something stops it; then tries to append.
import { writeSync } from "node:fs";
import { JournalError } from "../errors.ts";
import { openAt, type Where } from "./storage.ts";

const { where }: { readonly where: Where } = JSON.parse(process.argv[2] ?? "{}");
const journal = await openAt(where);
const events = await journal.append(
  "long",
  Array.from({ length: 1_000 }, (_, n) => n),
);
for (let n = 1; n < events; n++) {
  await journal.trim("long", n).catch((error: unknown) => {
    writeSync(1, `${error instanceof JournalError ? error.code : error}\n`);
  });
}
writeSync(1, `acknowledged ${await journal.append("a", ["never"])}\n`);
