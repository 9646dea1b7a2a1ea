import { patient } from "@parley/testing/patient.ts";
import { expect, it } from "vitest";
import { LocalRegistry } from "./local-registry.ts";
import { TemporaryProject } from "./temporary-project.ts";

const installing = "✓ installing packages";

it("installs once, and again when the lock changed", async () => {
  const project = new TemporaryProject();
  expect((await project.run("start")).stderr).toContain(installing);
  expect(await project.run("start")).toMatchObject({ exitCode: 0, stderr: "" });
  project.write("package-lock.json", `${project.read("package-lock.json")}\n`);
  expect((await project.run("start")).stderr).toContain(installing);
});

it("installs again after an install that failed, even when the lock is back to what it was", async () => {
  const registry = await LocalRegistry.open();
  const project = new TemporaryProject();
  await project.run("start");
  project.lock({ unpublished: "sha512-AAAA" });
  expect(await project.run("start", { environment: { npm_config_registry: registry.url } })).toMatchObject({
    exitCode: 1,
  });
  project.lock({});
  expect((await project.run("start")).stderr).toContain(installing);
});

it("skips development packages for a start, and adds them once for a test, also in production", async () => {
  const registry = await LocalRegistry.open();
  const project = new TemporaryProject();
  const [thing, tool] = ["thing", "tool"].map((name) => registry.publish(name, { files: {} }));
  project.lock({ thing: thing ?? "", tool: tool ?? "" }, ["tool"]);
  project.write("benchmarks/journal.ts", "");
  const packages = () => project.list("node_modules").filter((name) => !name.startsWith("."));
  const environment = { npm_config_registry: registry.url, NODE_ENV: "production" };
  expect(await project.run("start", { environment })).toMatchObject({ exitCode: 0 });
  expect(packages()).toEqual(["thing"]);
  expect(await project.run("start", { environment })).toMatchObject({ exitCode: 0, stderr: "" });
  expect((await project.run("bench journal", { environment })).stderr).toContain(installing);
  expect(packages()).toEqual(["thing", "tool"]);
  for (const command of ["start", "bench journal", "start"])
    expect(await project.run(command, { environment })).toMatchObject({ exitCode: 0, stderr: "" });
});

it("lets one of two launchers install while the other waits", async () => {
  const registry = await LocalRegistry.open();
  const project = new TemporaryProject();
  project.lock({ thing: registry.publish("thing", { files: {} }) });
  const environment = { npm_config_registry: registry.url };
  const endings = await Promise.all([1, 2].map(() => project.run("start", { environment })));
  expect(endings.map(({ exitCode, stdout }) => [exitCode, stdout])).toEqual([
    [0, "[]\n"],
    [0, "[]\n"],
  ]);
  expect(registry.downloads).toEqual(["thing"]);
});

it.each([
  ["SIGTERM", 143],
  ["SIGKILL", null],
] as const)("leaves no npm behind when %s ends it during an install", async (signal, exitCode) => {
  const registry = await LocalRegistry.open();
  const project = new TemporaryProject();
  project.lock({ thing: registry.publish("thing", { files: {} }) });
  let signalled = 0;
  const connectionClosed = new Promise<void>((resolve) => {
    registry.send = (response) => {
      response.on("close", resolve);
      launch.process.kill(signal);
      signalled = performance.now();
    };
  });
  const environment = { npm_config_registry: registry.url };
  const launch = project.launch("start", { environment });
  expect(await launch.ended).toMatchObject({ exitCode });
  await connectionClosed;
  expect(performance.now() - signalled).toBeLessThan(patient(5_000));
  registry.send = (response, tarball) => response.end(tarball);
  expect(await project.run("start", { environment })).toMatchObject({ exitCode: 0, stdout: "[]\n" });
});

it("reports a missing network at once", async () => {
  const project = new TemporaryProject();
  project.lock({ thing: "sha512-AAAA" });
  const { exitCode, stderr, seconds } = await project.run("start");
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(
    /^npm could not install the packages: the npm registry cannot be reached \(ECONNREFUSED\); .+\.\n$/m,
  );
  expect(stderr).not.toContain("    at ");
  expect(seconds).toBeLessThan(patient(20));
});

it("reports a lock file that does not match package.json", async () => {
  const project = new TemporaryProject();
  project.write("package.json", '{"name":"temporary","version":"1.0.0","dependencies":{"thing":"1.0.0"}}');
  const registry = await LocalRegistry.open();
  registry.publish("thing", { files: {} });
  const { exitCode, stderr } = await project.run("start", {
    environment: { npm_config_registry: registry.url },
  });
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(
    /^npm could not install the packages: package-lock.json does not match package.json; .+\.\n$/m,
  );
});

it("reports a missing lock file", async () => {
  const project = new TemporaryProject();
  project.remove("package-lock.json");
  expect(await project.run("start")).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/^\S+ is missing: .+\.\n$/),
  });
});

it("shows the end of npm's output, and names its log, if the cause is unknown", async () => {
  const registry = await LocalRegistry.open();
  const project = new TemporaryProject();
  project.lock({ unpublished: "sha512-AAAA" });
  const { exitCode, stderr } = await project.run("start", {
    environment: { npm_config_registry: registry.url },
  });
  expect(exitCode).toBe(1);
  expect(stderr).toContain("404 Not Found");
  expect(stderr).toMatch(
    /npm could not install the packages: it ended with E404 \(details: \S+install\.log\)\.\n$/,
  );
  expect(project.read(".node/install.log")).toContain("404 Not Found");
});
