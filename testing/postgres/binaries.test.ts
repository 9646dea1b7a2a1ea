import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { testFolder } from "../test-folder.ts";
import { findBinaries, PostgresMissingError } from "./binaries.ts";

const embedded = findBinaries("embedded");

it("finds the host's programs behind symlinks, before the embedded ones", async () => {
  const links = await testFolder();
  for (const program of ["initdb", "pg_ctl", "postgres"])
    await symlink(join(embedded, program), join(links, program));
  expect(findBinaries("host", ["/nowhere", links])).toBe(embedded);
});

it("passes over a folder that has only a part of the server", async () => {
  const part = await testFolder({ postgres: "" });
  expect(findBinaries(undefined, [part])).toBe(embedded);
});

it("says what to install when there is no server", () => {
  expect(() => findBinaries("host", [])).toThrow(PostgresMissingError);
  expect(() => findBinaries("host", [])).toThrow(
    /^No host Postgres found.*apt-get install postgresql.*DATABASE_URL/,
  );
});
