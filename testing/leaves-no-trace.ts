import { afterAll, expect, vi } from "vitest";

/** Fails a test file that leaves its process other than it found it: the next file runs in the same one. */
const found = trace();
afterAll(() => expect(trace()).toEqual(found));

function trace() {
  const { Date: date, fetch, setTimeout: timeout, setInterval: interval } = globalThis;
  return {
    environment: { ...process.env },
    folder: process.cwd(),
    fakeTimers: vi.isFakeTimers(),
    globals: [date, fetch, timeout, interval],
  };
}
