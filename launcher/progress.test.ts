import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { showProgress } from "./progress.mjs";

// On a busy machine a second may be over before anybody has counted it.
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Collects what is written, as a terminal or as a file. */
function outputThat(abilities: { isTTY: boolean; colours?: boolean }) {
  const written: string[] = [];
  const output = {
    isTTY: abilities.isTTY,
    hasColors: () => abilities.colours ?? false,
    write: (text: string) => written.push(text),
  };
  return { output, text: () => written.join("") };
}

it("progress counts the seconds on a terminal and ends with the duration", async () => {
  const { output, text } = outputThat({ isTTY: true });
  const shown = showProgress("types", () => new Promise((resolve) => setTimeout(resolve, 1_100)), output);
  await vi.advanceTimersByTimeAsync(1_100);
  await shown;
  expect(text()).toContain("⠋ types … 0 s");
  expect(text()).toContain("types … 1 s");
  expect(text()).toMatch(/✓ types 1\.\d s\n$/);
});

it("progress prints a line at the start and one at the end without a terminal", async () => {
  const { output, text } = outputThat({ isTTY: false });
  const shown = showProgress("types", () => new Promise((resolve) => setTimeout(resolve, 1_100)), output);
  await vi.advanceTimersByTimeAsync(1_100);
  await shown;
  expect(text()).toMatch(/^types …\n✓ types 1\.\d s\n$/);
});

it("progress prints only the end of a quick step", async () => {
  const { output, text } = outputThat({ isTTY: false });
  expect(await showProgress("types", async () => "result", output)).toBe("result");
  expect(text()).toBe("✓ types 0.0 s\n");
});

it("progress marks a failure and rethrows it", async () => {
  const { output, text } = outputThat({ isTTY: false });
  const failure = new Error("no");
  await expect(showProgress("types", () => Promise.reject(failure), output)).rejects.toBe(failure);
  expect(text()).toBe("✗ types 0.0 s\n");
});

it("progress uses colours only where they are wanted", async () => {
  const { output, text } = outputThat({ isTTY: true, colours: true });
  await showProgress("types", async () => {}, output);
  expect(text()).toContain("\x1b[32m✓\x1b[39m types");
});
