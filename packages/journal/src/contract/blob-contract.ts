import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import * as errors from "../errors.ts";
import type { JournalUnderTest } from "./journal-fixture.ts";

const missing = "0".repeat(64);

/** Content found by its hash. */
export function describeBlobs(test: JournalUnderTest, survivesClosing: boolean): void {
  describe("blobs", () => {
    it("returns the bytes by their hash, and stores the same content once", async () => {
      const content = Uint8Array.from({ length: 600_000 }, (_, i) => (i * 7919) % 256);
      const reference = await test.current.blobs.put(content, "image/png");
      expect(reference).toMatchObject({ size: 600_000, mediaType: "image/png" });
      expect(await test.current.blobs.put(content.slice(), "image/png")).toEqual(reference);
      if (survivesClosing) await test.reopen();
      expect(Buffer.compare(await test.current.blobs.get(reference.hash), content)).toBe(0);
    });

    it("receives content as a stream, and stores it when it is kept", async () => {
      const pieces = Array.from({ length: 40 }, (_, piece) => Buffer.alloc(50_000, piece));
      await using incoming = await test.current.blobs.receive(Readable.from(pieces));
      const { hash, size } = incoming;
      expect(size).toBe(2_000_000);
      await expect(test.current.blobs.get(hash)).rejects.toBeInstanceOf(errors.BlobMissingError);
      expect(await incoming.keep("text/plain")).toEqual({ hash, size, mediaType: "text/plain" });
      await using again = await test.current.blobs.receive(Readable.from(pieces));
      expect((await again.keep("text/plain")).hash).toBe(hash);
      expect(Buffer.compare(await test.current.blobs.get(hash), Buffer.concat(pieces))).toBe(0);
    });

    it("fails when the content breaks off", async () => {
      const broken = async function* () {
        yield Buffer.alloc(100_000);
        throw new Error("hung up");
      };
      await expect(test.current.blobs.receive(broken())).rejects.toThrow("hung up");
    });

    it("reads content in pieces, whole and in order, and none of what is missing", async () => {
      const content = Uint8Array.from({ length: 3_000_001 }, (_, i) => (i * 7919) % 253);
      const { hash } = await test.current.blobs.put(content, "image/png");
      expect(Buffer.compare(await buffer(test.current.blobs.read(hash)), content)).toBe(0);
      const empty = await test.current.blobs.put(new Uint8Array(), "text/plain");
      expect((await buffer(test.current.blobs.read(empty.hash))).byteLength).toBe(0);
      for (const unknown of [missing, "../../etc/passwd"]) {
        const reading = buffer(test.current.blobs.read(unknown));
        await expect(reading).rejects.toBeInstanceOf(errors.BlobMissingError);
      }
    });

    it("takes empty content", async () => {
      const { hash } = await test.current.blobs.put(new Uint8Array(), "text/plain");
      expect((await test.current.blobs.get(hash)).byteLength).toBe(0);
    });

    it("reports a missing blob; deleting it twice is no error", async () => {
      const { hash } = await test.current.blobs.put(Buffer.from("x"), "text/plain");
      await test.current.blobs.delete(hash);
      await test.current.blobs.delete(hash);
      await expect(test.current.blobs.get(hash)).rejects.toBeInstanceOf(errors.BlobMissingError);
      await expect(test.current.blobs.get(missing)).rejects.toThrow("does not exist");
    });

    it.each(["../../etc/passwd", "", "ABC", `${missing}/..`])("refuses %j as a hash", async (hash) => {
      await expect(test.current.blobs.get(hash)).rejects.toBeInstanceOf(errors.BlobMissingError);
      await expect(test.current.blobs.delete(hash)).rejects.toBeInstanceOf(errors.BlobMissingError);
    });
  });
}
