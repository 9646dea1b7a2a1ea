import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { LocalRegistry } from "./local-registry.ts";
import { releaseFor } from "./node-release.mjs";
import { TemporaryProject } from "./temporary-project.ts";

// Only there can a test mount its own disk.
const onLinux = it.runIf(process.platform === "linux");
const tooLarge = randomBytes(4_000_000).toString("base64");

it("the launcher reports a file in place of its folder", async () => {
  const project = new TemporaryProject();
  project.write(".node", "");
  const { exitCode, stderr } = await project.run("start");
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(
    /^Parley cannot be set up: there is a file where \S+ must be a folder \(\w+\); move it away\.\n$/,
  );
});

onLinux("says that the project cannot be written", async () => {
  const { exitCode, stderr } = await new TemporaryProject().run("start", { disk: "read-only" });
  expect(stderr).toMatch(
    /^Parley cannot be set up: \S+ cannot be written \(EROFS\); make it writable, .+\.\n$/,
  );
  expect(exitCode).toBe(1);
});

onLinux("says that the disk is full while it installs", async () => {
  const registry = await LocalRegistry.open();
  const project = new TemporaryProject();
  project.lock({ large: registry.publish("large", { files: { content: tooLarge } }) });
  const environment = { npm_config_registry: registry.url };
  const { exitCode, stderr } = await project.run("start", { disk: "small", environment });
  expect(stderr).toMatch(
    /^npm could not install the packages: the disk of \S+ is full \(ENOSPC\); free some space and run the command again\b.*\.\n$/m,
  );
  expect(exitCode).toBe(1);
});

onLinux("says that the disk is full while it fetches Node", async () => {
  const registry = await LocalRegistry.open();
  const { packageName, version, binary } = releaseFor(`${process.platform}-${process.arch}`);
  registry.publish(packageName, { version, files: { [binary]: tooLarge } });
  const environment = { npm_config_registry: registry.url, PARLEY_NODE_DIR: ".node" };
  const { exitCode, stderr } = await new TemporaryProject().run("start", { disk: "small", environment });
  expect(stderr).toMatch(
    /^npm could not fetch Node \S+: the disk of \S+ is full \(ENOSPC\); free some space and run the command again\b.*\.\n$/m,
  );
  expect(exitCode).toBe(1);
});
