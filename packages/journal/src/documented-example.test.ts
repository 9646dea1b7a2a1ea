import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { testFolder } from "@parley/testing/test-folder.ts";
import { expect, it, onTestFinished } from "vitest";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

it("the architecture page's example prints the event and then waits for more", async () => {
  const page = await readFile(`${ROOT}docs/architecture.md`, "utf8");
  const [, example] = /```ts\n(import \{ openSqliteJournal[^`]*)```/.exec(page) ?? [];
  if (!example) throw new Error("docs/architecture.md has no example of a journal");
  const code = example.replace(".parley", await testFolder());
  const child = spawn(process.execPath, ["--input-type=module-typescript", "--eval", code], { cwd: ROOT });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [printed] = await once(child.stdout, "data");
  expect(String(printed)).toContain("1 { type: 'user_message', text: 'Hello' }");
  const ended = once(child, "exit").then(() => "ended");
  const later = new Promise((resolve) => setTimeout(resolve, 500, "waits"));
  expect(await Promise.race([ended, later])).toBe("waits");
});
