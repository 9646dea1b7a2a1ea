import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { freePortRange } from "@parley/testing/free-ports.ts";
import { freshDatabase } from "@parley/testing/fresh-database.ts";
import { testFolder } from "@parley/testing/test-folder.ts";
import { expect, inject, it, onTestFinished, vi } from "vitest";
import { ParleyProcess, parley } from "../testing/parley-process.ts";

// Many processes, one after the other, beside those of other tests.
vi.setConfig({ testTimeout: 180_000 });

/** A Parley that requires API keys, on data in which the first key can be created. */
async function setting() {
  const folder = await testFolder({ "agents/.keep": "" });
  const port = String(await freePortRange(0));
  const environment = { PARLEY_DATA: join(folder, "data"), PORT: port, PARLEY_AUTH: "on" };
  const run = (line: string, key?: string) =>
    parley(line.split(" "), { environment: { ...environment, ...(key && { PARLEY_KEY: key }) }, folder });
  const up = async () => {
    const server = new ParleyProcess(["up", "--agents", join(folder, "agents")], { environment, folder });
    onTestFinished(async () => {
      server.child.kill("SIGKILL");
      await server.ended;
    });
    const said = await server.said(/\(API keys: .*\)/);
    await server.said(/^ {2}model/m);
    return { server, said };
  };
  return { run, up, folder, url: `http://localhost:${port}` };
}

it("the first key is created without a server, others by it; they are listed, used, revoked and audited (S4.2)", async () => {
  const { run, up, url } = await setting();
  const first = await run("keys create admin --role owner");
  expect([first.code, first.out]).toEqual([0, expect.stringMatching(/^parley_[\w-]{51}\n$/)]);
  expect(first.err).toContain("It acts for local in default as owner");
  const admin = first.out.trim();
  const { said } = await up();
  expect(said).toContain("parley keys create NAME");

  const refused = await run("sessions");
  expect([refused.code, refused.out]).toEqual([1, ""]);
  expect(refused.err).toBe(
    `${url} requires an API key: set PARLEY_KEY ("parley keys --help" shows how to create the first one)\n`,
  );
  const made = await run("keys create ci --service-account robot --role viewer --expires 90 --json", admin);
  const { key, secret } = JSON.parse(made.out);
  expect(key).toMatchObject({ name: "ci", owner: "robot", workspace: "default", role: "viewer" });

  const listed = await run("keys", admin);
  expect(listed.out).toMatch(/^key +name +user +role +expires +last used +id\n/);
  expect(listed.out).toMatch(new RegExp(`^${key.prefix}… +ci +robot +viewer `, "m"));
  for (const text of [admin, secret]) expect(listed.out).not.toContain(text);

  expect((await run(`sessions --key ${secret}`)).code).toBe(0);
  expect((await run("keys", secret)).err).toBe("Only owners of the workspace may do this; ask one of them\n");

  const tailing = new ParleyProcess(["tail", "--json"], {
    environment: { PARLEY_URL: url, PARLEY_KEY: secret },
  });
  await expect
    .poll(async () => (await run("keys list --json", admin)).out, { timeout: 60_000 })
    .toContain("lastUsedAt");
  await fetch(`${url}/api/v1/sessions`, {
    ...{ method: "POST", body: "{}" },
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${admin}` },
  });
  expect((await run(`keys revoke ${key.prefix}`, admin)).err).toContain("Revoked ");
  expect(await tailing.ended).toMatchObject({ code: 1, err: expect.stringMatching(/revoked/) });

  const audit = await run("audit", admin);
  expect(audit.out).toMatch(/local \(admin\) +key\.revoked +key_/);
  expect(audit.out).toMatch(/command line +key\.created .*name=admin owner=local role=owner/);
  for (const text of [admin, secret]) expect(audit.out).not.toContain(text);
});

it("the first key can be created in Postgres", async () => {
  const { url: database, drop } = await freshDatabase(inject("postgresUrl"));
  onTestFinished(drop);
  const { run } = await setting();
  const { code, out } = await run(`keys create admin --role owner --user ann --database ${database} --json`);
  expect(code).toBe(0);
  expect(JSON.parse(out).key).toMatchObject({ owner: "ann", role: "owner" });
});

it("the first key can be created while the server runs, but only with access to its data folder (S4.2)", async () => {
  const { run, up, url, folder } = await setting();
  const { server } = await up();
  const first = await run("keys create admin --role owner");
  expect([first.code, first.out]).toEqual([0, expect.stringMatching(/^parley_[\w-]{51}\n$/)]);
  const admin = first.out.trim();
  expect((await run("keys", admin)).out).toContain("admin");
  expect((await run("audit", admin)).out).toMatch(/command line +key\.created/);
  const named = await run("keys create other --data data");
  expect([named.code, named.err]).toEqual([0, expect.stringContaining("local in default as editor")]);

  const file = join(folder, "data/server.json");
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const { proof } = JSON.parse(await readFile(file, "utf8"));
  const asked = (path: string, shown: string) =>
    fetch(`${url}${path}`, { headers: { "X-Folder-Proof": shown } }).then(({ status }) => status);
  expect(await asked("/api/v1/keys", proof)).toBe(200);
  // It makes keys, and is nothing else: not even to read.
  for (const path of ["/api/v1/sessions", "/api/v1/audit", "/metrics", "/a2a/rest/tasks", "/api/v1/keysx"])
    expect([path, await asked(path, proof)]).toEqual([path, 401]);
  for (const wrong of ["", "x", `${proof}x`, proof.slice(1)])
    expect(await asked("/api/v1/keys", wrong)).toBe(401);
  for (const text of [proof, admin]) expect(server.out + server.err).not.toContain(text);

  // A folder elsewhere is not the server's: nothing is made there instead.
  const elsewhere = await testFolder();
  const stranger = await parley(["keys", "create", "x"], {
    ...{ environment: { PORT: new URL(url).port, PARLEY_DATA: join(elsewhere, "data") }, folder: elsewhere },
  });
  expect([stranger.code, stranger.out, await readdir(elsewhere)]).toEqual([1, "", []]);
  expect(stranger.err).toContain("requires an API key");

  // After a kill the file remains but is stale; the data folder has no owner.
  server.child.kill("SIGKILL");
  await server.ended;
  expect((await run("keys create after --role owner")).code).toBe(0);
});

it("a key for another server is not created in the local data folder", async () => {
  const { run } = await setting();
  const elsewhere = await run("keys create x --server http://127.0.0.1:1");
  expect([elsewhere.code, elsewhere.out]).toEqual([3, ""]);
});
