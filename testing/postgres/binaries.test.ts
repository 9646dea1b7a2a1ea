import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { testFolder } from "../test-folder.ts";
import { findBinaries, PostgresMissingError } from "./binaries.ts";

const embedded = findBinaries("embedded");

it("the host's binaries are found behind symlinks and preferred to the embedded ones", async () => {
  const links = await testFolder();
  for (const program of ["initdb", "pg_ctl", "postgres"])
    await symlink(join(embedded, program), join(links, program));
  expect(findBinaries("host", ["/nowhere", links])).toBe(embedded);
});

it("a folder with an incomplete server is skipped", async () => {
  const part = await testFolder({ postgres: "" });
  expect(findBinaries(undefined, [part])).toBe(embedded);
});

it("the error says what to install when there is no server", () => {
  expect(() => findBinaries("host", [])).toThrow(PostgresMissingError);
  expect(() => findBinaries("host", [])).toThrow(
    /^No host Postgres found.*apt-get install postgresql.*DATABASE_URL/,
  );
});
