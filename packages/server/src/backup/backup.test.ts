import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { gunzipSync, gzipSync } from "node:zlib";
import { ApiClient } from "@parley/client";
import { testFolder } from "@parley/testing/test-folder.ts";
import { describe, expect, it } from "vitest";
import { ServerProcess } from "../testing/server-process.ts";
import { backUp } from "./back-up.ts";
import { BackupError, DamagedBackupError, FolderHoldsDataError } from "./backup-errors.ts";
import { postgresAdvice } from "./postgres-advice.ts";
import { restore } from "./restore.ts";

async function serving(dataFolder: string) {
  const server = new ServerProcess({ PARLEY_DATA: dataFolder });
  return { server, client: new ApiClient({ baseUrl: await server.url() }) };
}

/** A session with an answer that has ended. */
async function conversation(client: ApiClient, text: string): Promise<string> {
  const { session } = await client.createSession({ title: text });
  await client.postMessage(session.id, { content: text });
  await expect
    .poll(async () => (await client.listRuns({ sessionId: session.id })).runs[0]?.status, { timeout: 60_000 })
    .toMatch(/completed|failed/);
  return session.id;
}

async function exportsOf(client: ApiClient, ids: readonly string[]): Promise<string[]> {
  return Promise.all(ids.map((id) => client.exportSession(id, "jsonl")));
}

const SMALL = { "push.key": "0123456789abcdef", "blobs/ab/abcd": "a blob", [`deep/${"x".repeat(120)}`]: "é" };

/** A backup of a folder without a journal. */
async function smallBackup(): Promise<string> {
  const file = join(await testFolder(), "small.tar.gz");
  await backUp({ dataFolder: await testFolder(SMALL), databaseUrl: undefined }, file);
  return file;
}

describe("a backup", () => {
  it("taken while a server writes is restored with every session and its events byte for byte (S0.20)", async () => {
    const dataFolder = await testFolder();
    const { server, client } = await serving(dataFolder);
    const content = new Uint8Array(300_000).fill(7);
    const { file: blob } = await client.uploadFile({ name: "seven.bin", mediaType: "a/b", content });
    const before = [await conversation(client, "What is kept?"), await conversation(client, "And this?")];
    const asItWas = await exportsOf(client, before);

    const meanwhile: string[] = [];
    const writing = new AbortController();
    const writer = (async () => {
      while (!writing.signal.aborted) {
        const { session } = await client.createSession({ title: `while it is copied ${meanwhile.length}` });
        meanwhile.push(session.id);
        // Each is read twice below: a backup that takes long must not make that take minutes.
        await sleep(20);
      }
    })();
    await expect.poll(() => meanwhile.length).toBeGreaterThan(3);
    const acknowledged = [...meanwhile];
    const told: string[] = [];
    const file = join(await testFolder(), "backup.tar.gz");
    const made = await backUp({ dataFolder, databaseUrl: undefined }, file, {
      progress: (text) => told.push(text),
    });
    const count = meanwhile.length;
    await expect.poll(() => meanwhile.length).toBeGreaterThan(count);
    writing.abort();
    await writer;
    const written = await exportsOf(client, meanwhile.slice(0, count));
    expect((await server.end()).code).toBe(0);

    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(made.manifest).toMatchObject({ format: "parley-backup-1", journal: "sqlite" });
    expect(made.manifest.files.map(({ path }) => path)).toEqual(
      expect.arrayContaining(["journal.db", "agents.key", "push.key", "webhook.key"]),
    );
    expect(told).toContain("journal.db");
    expect(execFileSync("tar", ["tzf", file], { encoding: "utf8" })).toContain("data/journal.db");

    const target = join(await testFolder(), "restored");
    expect((await restore({ file, dataFolder: target })).aside).toBeUndefined();
    const again = await serving(target);
    expect(await exportsOf(again.client, before)).toEqual(asItWas);
    expect(await (await again.client.downloadFile(blob.id)).bytes()).toEqual(content);
    expect(await exportsOf(again.client, acknowledged)).toEqual(written.slice(0, acknowledged.length));
    const { sessions } = await again.client.listSessions({ limit: 200 });
    const there = meanwhile.slice(0, count).filter((id) => sessions.some((one) => one.id === id));
    expect(await exportsOf(again.client, there)).toEqual(there.map((id) => written[meanwhile.indexOf(id)]));
  }, 180_000);

  it("includes the write-ahead log of a killed server", async () => {
    const dataFolder = await testFolder();
    const { server, client } = await serving(dataFolder);
    const { session } = await client.createSession({ title: "just before the end" });
    const asItWas = await client.exportSession(session.id, "jsonl");
    await server.end("SIGKILL");
    const file = join(await testFolder(), "backup.tar.gz");
    await backUp({ dataFolder, databaseUrl: undefined }, file);
    const target = await testFolder();
    await restore({ file, dataFolder: target });
    expect(await (await serving(target)).client.exportSession(session.id, "jsonl")).toBe(asItWas);
  });

  it("includes links, long names and agent data, and excludes locks and logs", async () => {
    const elsewhere = await testFolder({ "cd/cdef": "on another disk" });
    const dataFolder = await testFolder({
      ...SMALL,
      ...{ "owner.lock": "", "owner.pid": "1", "logs/parley.log": "{}", "backups/journal-1.db": "old" },
      "agents/sole/push.key": "its own",
      "agents/sole/owner.lock": "",
    });
    symlinkSync(elsewhere, join(dataFolder, "linked"));
    const file = join(await testFolder(), "backup.tar.gz");
    const { manifest } = await backUp({ dataFolder, databaseUrl: undefined }, file);
    const expected = [...Object.keys(SMALL), "agents/sole/push.key", "linked/cd/cdef"].sort();
    expect(manifest.files.map(({ path }) => path).sort()).toEqual(expected);
    const target = await testFolder();
    await restore({ file, dataFolder: target });
    for (const path of expected)
      expect(readFileSync(join(target, path))).toEqual(readFileSync(join(dataFolder, path)));
  });

  it("is refused over an existing file, inside the data folder, or of a missing folder", async () => {
    const dataFolder = await testFolder(SMALL);
    const place = { dataFolder, databaseUrl: undefined };
    await expect(backUp(place, await smallBackup())).rejects.toThrow("is there already");
    await expect(backUp(place, join(dataFolder, "b.tar.gz"))).rejects.toThrow("choose another place");
    const nowhere = { dataFolder: join(dataFolder, "nowhere"), databaseUrl: undefined };
    await expect(backUp(nowhere, join(await testFolder(), "b"))).rejects.toThrow("There is no data folder");
    await expect(backUp(place, join(dataFolder, "../no/where/b"))).rejects.toBeInstanceOf(BackupError);
    writeFileSync(join(dataFolder, "journal.db"), "no database");
    const folder = await testFolder();
    await expect(backUp(place, join(folder, "b"))).rejects.toThrow("not a Parley journal");
    expect(readdirSync(folder)).toEqual([]);
  });

  it("of a folder with a Postgres journal has the keys, and prints how to dump the rest without the password", async () => {
    const databaseUrl = new URL("postgres://me:s3cret@db.example.com:5433/parley");
    const file = join(await testFolder(), "backup.tar.gz");
    const { manifest } = await backUp({ dataFolder: await testFolder(SMALL), databaseUrl }, file);
    expect([manifest.journal, manifest.files.length]).toEqual(["postgres", 3]);
    const advice = postgresAdvice(databaseUrl, "backup");
    expect(advice).toContain("pg_dump --format=custom --schema=parley");
    expect(advice).toContain("postgres://me@db.example.com:5433/parley");
    expect(advice).not.toContain("s3cret");
  });
});

describe("a restore", () => {
  it("refuses a folder that holds data, or moves that aside on request", async () => {
    const file = await smallBackup();
    const dataFolder = await testFolder({ "push.key": "older", "logs/parley.log": "{}" });
    await expect(restore({ file, dataFolder })).rejects.toBeInstanceOf(FolderHoldsDataError);
    expect(readFileSync(join(dataFolder, "push.key"), "utf8")).toBe("older");
    const { aside = "" } = await restore({ file, dataFolder, force: true });
    expect(readFileSync(join(aside, "push.key"), "utf8")).toBe("older");
    expect(readFileSync(join(dataFolder, "push.key"), "utf8")).toBe(SMALL["push.key"]);
    expect(statSync(join(dataFolder, "push.key")).mode & 0o777).toBe(0o600);
    expect(existsSync(join(dataFolder, "logs/parley.log"))).toBe(true);
  });

  it("refuses while a server owns the folder, and changes nothing", async () => {
    const dataFolder = await testFolder();
    const { server } = await serving(dataFolder);
    const held = readdirSync(dataFolder);
    await expect(restore({ file: await smallBackup(), dataFolder, force: true })).rejects.toThrow(
      `in use by process ${server.child.pid}`,
    );
    expect(readdirSync(dataFolder)).toEqual(held);
  });

  it.each<[string, (whole: Buffer) => Buffer]>([
    ["is cut short", (whole) => whole.subarray(0, whole.length - 40)],
    ["is empty", () => Buffer.alloc(0)],
    ["is something else", () => Buffer.from("# Notes\n")],
    ["is an archive of something else", () => gzipSync(Buffer.alloc(1_024))],
    ["has a byte turned over", (whole) => changed(whole, whole.length >> 1)],
    ["has a file that is not what it was", (whole) => inside(whole, "a blob", "a BLOB")],
    ["has a damaged header", (whole) => inside(whole, "data/push.key", "data/posh.key")],
    ["has a manifest that promises more", (whole) => inside(whole, '"push.key"', '"pull.key"')],
    ["is of another format", (whole) => inside(whole, "parley-backup-1", "parley-backup-9")],
    [
      "has lost its manifest",
      (whole) => gzipSync(Buffer.concat([gunzipSync(whole).subarray(0, 1_024), Buffer.alloc(1_024)])),
    ],
  ])("refuses a backup that %s, before it changes anything", async (_, damage) => {
    const whole = readFileSync(await smallBackup());
    const file = join(await testFolder(), "damaged.tar.gz");
    writeFileSync(file, damage(whole));
    const dataFolder = await testFolder({ "push.key": "older" });
    await expect(restore({ file, dataFolder, force: true })).rejects.toBeInstanceOf(DamagedBackupError);
    expect(readdirSync(dataFolder).filter((name) => name !== "owner.lock")).toEqual(["push.key"]);
    expect(readFileSync(join(dataFolder, "push.key"), "utf8")).toBe("older");
  });

  it.each(["data/../../escaped", "/etc/escaped", "data/./x", "data/", "escaped"])(
    "refuses a backup with the path %s",
    async (path) => {
      const folder = await testFolder();
      const { tarHeader } = await import("./tar-header.ts");
      const file = join(folder, "hostile.tar.gz");
      const header = tarHeader({ path, size: 0, mode: 0o600 }, new Date());
      writeFileSync(file, gzipSync(Buffer.concat([header, Buffer.alloc(1_024)])));
      mkdirSync(join(folder, "data"));
      await expect(restore({ file, dataFolder: join(folder, "data") })).rejects.toThrow("no place in a data");
      expect(readdirSync(folder).sort()).toEqual(["data", "hostile.tar.gz"]);
    },
  );

  it("reports a missing file", async () => {
    await expect(restore({ file: "/nowhere/b", dataFolder: await testFolder() })).rejects.toThrow(
      "There is no backup /nowhere/b",
    );
  });
});

function changed(whole: Buffer, at: number): Buffer {
  const copy = Buffer.from(whole);
  copy[at] = (copy[at] ?? 0) ^ 0x55;
  return copy;
}

function inside(whole: Buffer, text: string, other: string): Buffer {
  const plain = gunzipSync(whole);
  const at = plain.indexOf(text);
  expect(at).toBeGreaterThan(0);
  plain.write(other, at);
  return gzipSync(plain);
}

describe("an encrypted backup", () => {
  const place = (dataFolder: string) => ({ dataFolder, databaseUrl: undefined });

  it("can be opened only with its passphrase or identity, and tampering is detected", async () => {
    const { generateIdentity, identityToRecipient } = await import("age-encryption");
    const identity = await generateIdentity();
    const folder = await testFolder({ "data/push.key": "0123456789abcdef", "data/blobs/ab/abcd": "a blob" });
    const seals = [
      { seal: { recipients: [await identityToRecipient(identity)] }, keys: { identities: [identity] } },
      { seal: { passphrase: "correct horse" }, keys: { passphrase: "correct horse" } },
    ];
    for (const [number, { seal, keys }] of seals.entries()) {
      const file = join(folder, `${number}.age`);
      const target = join(folder, `target-${number}`);
      await backUp(place(join(folder, "data")), file, { seal });
      expect(readFileSync(file, "latin1")).toMatch(/^age-encryption\.org\/v1\n/);
      await expect(restore({ file, dataFolder: target })).rejects.toThrow("is encrypted: name what opens it");
      const other = { identities: [await generateIdentity()], passphrase: "wrong" };
      await expect(restore({ file, dataFolder: target, keys: other })).rejects.toThrow("another key");
      // A passphrase takes a second each time, on purpose.
      if (number === 0) {
        const whole = readFileSync(file);
        writeFileSync(`${file}.changed`, changed(whole, whole.length - 20));
        const spoilt = restore({ file: `${file}.changed`, dataFolder: target, keys });
        await expect(spoilt).rejects.toBeInstanceOf(DamagedBackupError);
      }
      await restore({ file, dataFolder: target, keys });
      expect(readFileSync(join(target, "blobs/ab/abcd"), "utf8")).toBe("a blob");
    }
    const nobody = backUp(place(join(folder, "data")), join(folder, "x.age"), {
      seal: { recipients: ["bob"] },
    });
    await expect(nobody).rejects.toThrow("public key of age");
    expect(existsSync(join(folder, "x.age"))).toBe(false);
  });
});

it("a backup that unpacks to far more than its size is refused unless explicitly allowed", async () => {
  const folder = await testFolder({ "data/.keep": "" });
  writeFileSync(join(folder, "data/zeros"), Buffer.alloc(80_000_000));
  const file = join(folder, "bomb.tar.gz");
  await backUp({ dataFolder: join(folder, "data"), databaseUrl: undefined }, file);
  const dataFolder = join(folder, "target");
  await expect(restore({ file, dataFolder })).rejects.toThrow("more than 100 times its size");
  expect(existsSync(join(dataFolder, "zeros"))).toBe(false);
  await restore({ file, dataFolder, maxRatio: 2_000 });
  expect(statSync(join(dataFolder, "zeros")).size).toBe(80_000_000);
});
