import { globSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { testFolder } from "./test-folder.ts";
import { TEST_FOLDERS, type TestKind, testKinds } from "./test-kinds.ts";

const root = join(import.meta.dirname, "..");

async function kindOf(test: string, others: Readonly<Record<string, string>> = {}): Promise<TestKind> {
  const kinds = testKinds(await testFolder({ "packages/a/src/a.test.ts": test, ...others }));
  const [kind] = Object.entries(kinds).filter(([, files]) => files.length > 0);
  return kind?.[0] as TestKind;
}

describe("testKinds", () => {
  it("assigns every test file of this repository one kind", () => {
    const files = TEST_FOLDERS.flatMap((folder) =>
      globSync(`${folder}/**/*.test.ts`, { cwd: root, exclude: ["**/node_modules/**"] }),
    );
    expect(Object.values(testKinds(root)).flat().sort()).toEqual(files.sort());
  });

  it.each<[TestKind, string]>([
    [
      "pure",
      `import { sum } from "./sum.ts"; import { it } from "vitest"; import type { Server } from "node:http";`,
    ],
    ["shared", `import { createServer } from "node:http";`],
    ["shared", `import {\n  test,\n} from "@parley/server";`],
    ["shared", `const { rm } = await import("node:fs/promises");`],
    ["isolated", `import { it, vi } from "vitest"; it("", () => { vi.useFakeTimers(); });`],
    ["isolated", `process.env.TZ = "UTC";`],
    ["isolated", `import "node:http"; const before = process.memoryUsage();`],
  ])("classifies as %s a test with %s", async (kind, text) => {
    expect(await kindOf(text, { "packages/a/src/sum.ts": "export const sum = 1;" })).toBe(kind);
  });

  it("follows a test's imports, including those of the test package", async () => {
    const near = { "packages/a/src/testing/near.ts": `import "node:net";` };
    expect(await kindOf(`import "./testing/near.ts";`, near)).toBe("shared");
    const far = {
      "testing/far.ts": `import "./farther.ts";`,
      "testing/farther.ts": `import { vi } from "vitest"; vi.stubEnv("A", "b");`,
    };
    expect(await kindOf(`import "@parley/testing/far.ts";`, far)).toBe("isolated");
    expect(await kindOf(`import "@parley/testing/far.ts";`, { "testing/far.ts": "" })).toBe("pure");
  });
});
