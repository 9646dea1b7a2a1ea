import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

it("uses nothing that only Node has, so that it runs unchanged in a browser", () => {
  const shipped = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" }).filter(
    (path) => path.endsWith(".ts") && !path.includes("testing/") && !path.endsWith(".test.ts"),
  );
  expect(shipped.length).toBeGreaterThan(20);
  const offending = shipped.filter((path) =>
    /from "node:|\b(?:Buffer|process|setImmediate|__dirname|require)\b[.(]/.test(
      readFileSync(join(import.meta.dirname, path), "utf8"),
    ),
  );
  expect(offending).toEqual([]);
});
