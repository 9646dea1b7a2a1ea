import { spawnSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, it, vi } from "vitest";
import { systemTool } from "./system-tool.ts";
import { testFolder } from "./test-folder.ts";

it("finds the first program of that name on the path that may be executed", async () => {
  const folder = await testFolder({ "text/tool": "", "program/tool": "#!/bin/sh\necho ready\n" });
  chmodSync(join(folder, "program/tool"), 0o755);
  vi.stubEnv("PATH", ["text", "program"].map((name) => join(folder, name)).join(delimiter));
  const tool = systemTool("tool");
  expect(tool).toBe(join(folder, "program/tool"));
  expect(spawnSync(tool, { encoding: "utf8" }).stdout).toBe("ready\n");
});

it("takes a substitute where the first choice is missing", async () => {
  const folder = await testFolder({ substitute: "#!/bin/sh\n" });
  chmodSync(join(folder, "substitute"), 0o755);
  vi.stubEnv("PATH", folder);
  expect(systemTool("no-such-tool", "substitute")).toBe(join(folder, "substitute"));
});

it("says what to install where it may not install it itself", async () => {
  vi.stubEnv("PATH", await testFolder());
  expect(() => systemTool("no-such-tool")).toThrow(
    "This test needs no-such-tool: install it with your system's package manager (apt-get install no-such-tool)",
  );
});
