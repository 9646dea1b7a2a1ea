import { readdirSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { testFolder } from "@parley/testing/test-folder.ts";
import S3rver from "s3rver";
import { describe, expect, it, onTestFinished } from "vitest";
import { readAll, upTo } from "../contract/journal-fixture.ts";
import { BlobMissingError, StorageUnavailableError } from "../errors.ts";
import { openMemoryJournal } from "../memory/memory-journal.ts";
import { openSqliteJournal } from "../sqlite/sqlite-journal.ts";
import type { BlobStore } from "./blob-store.ts";
import { FileBlobs } from "./file-blobs.ts";
import { S3Blobs } from "./s3-blobs.ts";

const KEY = { accessKeyId: "S3RVER", secretAccessKey: "S3RVER", region: "us-east-1" };

async function s3(): Promise<string> {
  const directory = await testFolder();
  const store = new S3rver({
    ...{ address: "127.0.0.1", port: 0, silent: true, directory },
    configureBuckets: [{ name: "cold", configs: [] }],
  });
  const { port } = (await store.run()) as AddressInfo;
  onTestFinished(() => store.close());
  return `http://127.0.0.1:${port}`;
}

function files(folder: string): string[] {
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((path) => statSync(path).isFile());
}

const PLACES: Record<string, () => Promise<BlobStore>> = {
  "a folder": async () => new FileBlobs(await testFolder()),
  "an S3-compatible store": async () =>
    new S3Blobs({ ...KEY, endpoint: await s3(), bucket: "cold", prefix: "parley/" }),
};

describe.each(Object.entries(PLACES))("archived events in %s (+12, S4.33)", (_name, place) => {
  it("are read as before, go on, and leave with their stream", async () => {
    const archives = await place();
    const journal = openMemoryJournal({ archives });
    onTestFinished(() => journal.close());
    await journal.append("a", upTo(3_000));
    await journal.archive("a");
    expect((await readAll(journal, "a")).map(({ payload }) => payload)).toEqual(upTo(3_000));
    expect(await journal.append("a", ["next"])).toBe(3_001);
    await journal.archive("a");
    expect((await journal.read("a", 2_999)).map(({ payload }) => payload)).toEqual([3_000, "next"]);
    await journal.delete("a");
    await expect(journal.read("a", 0)).rejects.toThrow("a");
  });

  it("keeps content by its hash, and reports what is missing", async () => {
    const store = await place();
    const content = Uint8Array.from({ length: 300_000 }, (_, i) => (i * 7919) % 256);
    const { hash } = await store.put(content, "application/gzip");
    expect((await store.put(content, "application/gzip")).hash).toBe(hash);
    expect(Buffer.compare(await store.get(hash), content)).toBe(0);
    await store.delete(hash);
    await store.delete(hash);
    await expect(store.get(hash)).rejects.toBeInstanceOf(BlobMissingError);
    await expect(store.get("../x")).rejects.toBeInstanceOf(BlobMissingError);
  });
});

describe("an archive", () => {
  it("is still found if it was written before archives had a store of their own", async () => {
    const folder = await testFolder();
    const before = await openSqliteJournal({ folder });
    await before.append("old", upTo(10));
    await before.archive("old");
    await before.close();
    const cold = await testFolder();
    const after = await openSqliteJournal({ folder, archives: new FileBlobs(cold) });
    onTestFinished(() => after.close());
    await after.append("new", upTo(5));
    await after.archive("new");
    expect(files(cold)).toHaveLength(1);
    expect((await readAll(after, "old")).map(({ payload }) => payload)).toEqual(upTo(10));
    expect((await readAll(after, "new")).map(({ payload }) => payload)).toEqual(upTo(5));
  });

  it("is reported if it is damaged, without showing any of it, and other streams still work", async () => {
    const cold = await testFolder();
    const journal = openMemoryJournal({ archives: new FileBlobs(cold) });
    onTestFinished(() => journal.close());
    await journal.append("a", upTo(10));
    await journal.archive("a");
    await journal.append("a", ["after"]);
    await journal.append("b", [1]);
    const [file = ""] = files(cold);
    writeFileSync(file, "something else");
    const reading = journal.read("a", 0);
    await expect(reading).rejects.toMatchObject({ code: "blob_missing", reason: "damaged" });
    expect((await journal.read("a", 10)).map(({ payload }) => payload)).toEqual(["after"]);
    expect((await journal.read("b", 0)).map(({ payload }) => payload)).toEqual([1]);
  });

  it("is not written while the store is unavailable or refuses, and nothing is lost", async () => {
    const refusing = createServer((_, response) => response.writeHead(403).end("<Error/>"));
    await new Promise<void>((resolve) => refusing.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void refusing.close());
    const { port } = refusing.address() as AddressInfo;
    const endpoint = `http://127.0.0.1:${port}`;
    const journal = openMemoryJournal({ archives: new S3Blobs({ ...KEY, endpoint, bucket: "cold" }) });
    onTestFinished(() => journal.close());
    await journal.append("a", upTo(10));
    const archiving = journal.archive("a");
    await expect(archiving).rejects.toBeInstanceOf(StorageUnavailableError);
    await expect(archiving).rejects.toThrow(/bucket cold at http:\/\/127\.0\.0\.1.*403/);
    expect((await readAll(journal, "a")).map(({ payload }) => payload)).toEqual(upTo(10));
  });
});
