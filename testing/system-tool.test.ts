import { spawnSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, it, vi } from "vitest";
import { systemTool } from "./system-tool.ts";
import { testFolder } from "./test-folder.ts";

it("systemTool finds the first executable of that name on the PATH", async () => {
  const folder = await testFolder({ "text/tool": "", "program/tool": "#!/bin/sh\necho ready\n" });
  chmodSync(join(folder, "program/tool"), 0o755);
  vi.stubEnv("PATH", ["text", "program"].map((name) => join(folder, name)).join(delimiter));
  const tool = systemTool("tool");
  expect(tool).toBe(join(folder, "program/tool"));
  expect(spawnSync(tool, { encoding: "utf8" }).stdout).toBe("ready\n");
});

it("systemTool falls back to a substitute", async () => {
  const folder = await testFolder({ substitute: "#!/bin/sh\n" });
  chmodSync(join(folder, "substitute"), 0o755);
  vi.stubEnv("PATH", folder);
  expect(systemTool("no-such-tool", "substitute")).toBe(join(folder, "substitute"));
});

it("systemTool says what to install when it may not install it itself", async () => {
  vi.stubEnv("PATH", await testFolder());
  expect(() => systemTool("no-such-tool")).toThrow(
    "This test needs no-such-tool: install it with your system's package manager (apt-get install no-such-tool)",
  );
});
