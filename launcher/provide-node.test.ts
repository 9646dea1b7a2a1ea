import { readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { patient } from "@parley/testing/patient.ts";
import { expect, it } from "vitest";
import { LocalRegistry } from "./local-registry.ts";
import { releaseFor } from "./node-release.mjs";
import { TemporaryProject } from "./temporary-project.ts";

const platform = `${process.platform}-${process.arch}`;
const release = releaseFor(platform);
const pins = "launcher/node-release.mjs";
const copy = `${release.version}-${platform}`;

it("fetches Node once, runs the server on it, and lets its children find it", async () => {
  const { project, registry } = await projectWithNode(nodeThatSays(`v${release.version}`));
  project.write("packages/server/src/main.ts", "console.log(process.env.PATH)");
  const first = await project.run("start");
  expect(first.stderr).toContain(`✓ fetching Node ${release.version}`);
  expect(first.stdout).toMatch(new RegExp(`^${project.path(`own/${copy}/bin`)}:`));
  expect(await project.run("start")).toMatchObject({ exitCode: 0, stderr: "" });
  expect(registry.downloads).toEqual([release.packageName]);
});

it("removes the partial download of a killed launcher", async () => {
  const { project, registry } = await projectWithNode(nodeThatSays(`v${release.version}`));
  const send = registry.send;
  registry.send = (response, tarball) => {
    response.write(tarball.subarray(0, tarball.length / 2));
    launch.process.kill("SIGKILL");
  };
  const launch = project.launch("start");
  await launch.ended;
  expect(project.list("own")).toContain(`${copy}.unfinished`);
  registry.send = send;
  expect(await project.run("start")).toMatchObject({ exitCode: 0, stdout: "[]\n" });
  expect(project.list("own")).toEqual([copy, "claims"]);
  expect(project.list("own/claims")).toEqual([]);
});

it("lets one of two launchers download while the other waits", async () => {
  const { project, registry } = await projectWithNode(nodeThatSays(`v${release.version}`));
  const endings = await Promise.all([project.run("start"), project.run("start")]);
  expect(endings.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
  expect(registry.downloads).toEqual([release.packageName]);
});

it("reports a missing network at once, and leaves no partial download", async () => {
  const { project } = await projectWithNode(nodeThatSays(`v${release.version}`));
  project.environment.npm_config_registry = "http://127.0.0.1:9/";
  const { exitCode, stderr, seconds } = await project.run("start");
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(
    /^npm could not fetch Node \S+: the npm registry cannot be reached \(ECONNREFUSED\); .+\.\n$/m,
  );
  expect(seconds).toBeLessThan(patient(20));
  expect(project.list("own")).toEqual(["claims", "fetch-node.log"]);
});

it("reports a broken connection", async () => {
  const { project, registry } = await projectWithNode(nodeThatSays(`v${release.version}`));
  registry.send = (response: ServerResponse, tarball) => {
    response.writeHead(200, { "content-length": tarball.length });
    response.write(tarball.subarray(0, tarball.length / 2), () => response.destroy());
  };
  const { exitCode, stderr } = await project.run("start");
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^npm could not fetch Node \S+: the npm registry cannot be reached \(ECONNRESET\)/m);
  expect(project.list("own")).toEqual(["claims", "fetch-node.log"]);
});

it("asks for another Node if the one from npm does not run here", async () => {
  const { project } = await projectWithNode("#!/no/such/interpreter\n");
  const { exitCode, stderr } = await project.run("start");
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^The Node \S+ that npm has does not run on this system: install Node 24 .+\.\n$/m);
  expect(project.list("own")).toEqual(["claims"]);
});

it("refuses a Node other than the pinned one, and neither runs nor keeps it", async () => {
  const { project } = await projectWithNode(
    `#!/bin/sh\ntouch "$PARLEY_NODE_DIR/it-ran"; echo v${release.version}\n`,
  );
  project.write(pins, readFileSync(new URL("node-release.mjs", import.meta.url), "utf8"));
  const { exitCode, stderr } = await project.run("start");
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(
    /^The Node \S+ that the npm registry sent is not the one that Parley expects, and was not kept: .+\.\n$/m,
  );
  expect(project.list("own")).toEqual(["claims"]);
});

it("asks for Node 24 on a platform for which npm has none", () => {
  expect(() => releaseFor("sunos-x64")).toThrow(
    /^Parley needs Node 24 and npm has none for sunos-x64: install it .+\.$/,
  );
});

it("gives npm its own cache if the usual one is not writable", async () => {
  const { project } = await projectWithNode(nodeThatSays(`v${release.version}`));
  project.write("a-file", "");
  const environment = { npm_config_cache: project.path("a-file/npm-cache") };
  expect(await project.run("start", { environment })).toMatchObject({ exitCode: 0 });
  expect(project.list(".node")).toContain("npm-cache");
});

it("fetches a real Node from the npm registry", { timeout: 180_000 }, async () => {
  const project = new TemporaryProject();
  const { npm_config_registry, npm_config_cache } = process.env;
  Object.assign(project.environment, {
    npm_config_registry,
    npm_config_cache,
    PARLEY_NODE_DIR: project.path("own"),
  });
  project.write(
    "packages/server/src/main.ts",
    "const version: string = process.version; console.log(version)",
  );
  expect(await project.run("start")).toMatchObject({ exitCode: 0, stdout: `v${release.version}\n` });
});

async function projectWithNode(program: string) {
  const registry = await LocalRegistry.open();
  const { packageName, version, binary } = release;
  const integrity = registry.publish(packageName, { version, files: { [binary]: program } });
  const project = new TemporaryProject();
  project.write(pins, project.read(pins).replace(release.integrity, integrity));
  Object.assign(project.environment, {
    npm_config_registry: registry.url,
    PARLEY_NODE_DIR: project.path("own"),
  });
  return { project, registry };
}

/** Stands in for the 120 MB of a real one, which runs the rest. */
function nodeThatSays(version: string): string {
  return `#!/bin/sh\n[ "$1" = --version ] && exec echo ${version}\nexec "${process.execPath}" "$@"\n`;
}
