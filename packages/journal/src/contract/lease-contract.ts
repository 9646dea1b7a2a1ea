import { describe, expect, it } from "vitest";
import * as errors from "../errors.ts";
import type { JournalUnderTest } from "./journal-fixture.ts";

/** Who may write under which epoch. */
export function describeLeases(test: JournalUnderTest): void {
  describe("leases", () => {
    it("are held by one owner at a time, with an epoch that only rises", async () => {
      const first = await test.current.acquire("a");
      await expect(test.current.acquire("a")).rejects.toBeInstanceOf(errors.LeaseHeldError);
      await test.current.append("a", [1], { epoch: first.epoch });
      await first.release();
      expect(first.signal.aborted).toBe(true);
      await expect(test.current.append("a", [2], { epoch: first.epoch })).rejects.toBeInstanceOf(
        errors.FencedError,
      );
      const second = await test.current.acquire("a");
      expect(second.epoch).toBeGreaterThan(first.epoch);
      await first.release();
      expect(await test.current.append("a", [2], { epoch: second.epoch })).toBe(2);
    });

    it("are listed as held until they are released", async () => {
      const lease = await test.current.acquire("a");
      await test.current.append("b", [1]);
      expect(await test.current.leased(["a", "b", "c"])).toEqual(new Set(["a"]));
      await lease.release();
      expect(await test.current.leased(["a", "b", "c"])).toEqual(new Set());
    });

    it("do not fence a writer that names no epoch", async () => {
      await test.current.acquire("a");
      expect(await test.current.append("a", ["a user's message"])).toBe(1);
    });

    it("create no stream: there is nothing to read until something is appended", async () => {
      await test.current.acquire("a");
      await expect(test.current.read("a", 0)).rejects.toBeInstanceOf(errors.UnknownStreamError);
    });

    it("fence an epoch that was never granted", async () => {
      const lease = await test.current.acquire("a");
      const append = test.current.append("a", [1], { epoch: lease.epoch + 1 });
      await expect(append).rejects.toBeInstanceOf(errors.FencedError);
    });

    it("cover the appends that wait when the journal is closed", async () => {
      const lease = await test.current.acquire("a");
      const last = test.current.append("a", ["last words"], { epoch: lease.epoch });
      await test.current.close();
      expect(await last).toBe(1);
    });

    it("are lost with the stream when it is deleted", async () => {
      await test.current.append("a", [1]);
      const lease = await test.current.acquire("a");
      await test.current.delete("a");
      expect(lease.signal.aborted).toBe(true);
    });

    it("end with the journal that held them", async () => {
      const lease = await test.current.acquire("a");
      await test.current.close();
      expect(lease.signal.aborted).toBe(true);
      expect(await test.current.close()).toBeUndefined();
    });
  });
}
