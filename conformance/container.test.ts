import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { dockerContext } from "@parley/testing/docker-context.ts";
import { freePortRange } from "@parley/testing/free-ports.ts";
import { expect, it, onTestFinished } from "vitest";
import { cleanClone } from "./testing/clean-clone.ts";

const run = promisify(execFile);
const PORTS = 12;

/** What the Dockerfile copies into its last stage, and what it runs there. */
async function dockerfile(folder: string) {
  const text = (await readFile(join(folder, "Dockerfile"), "utf8")).replaceAll("\\\n", " ");
  const [, build = ""] = /^RUN node -e '(.*)'/m.exec(text) ?? [];
  const [, probe = "[]"] = /^HEALTHCHECK .* CMD (\[.*\])$/m.exec(text) ?? [];
  const [, command = "[]"] = /^CMD (\[.*\])$/m.exec(text) ?? [];
  const [, lastStage = ""] = text.split(/^FROM .*bookworm-slim$/m);
  const copied = [...lastStage.matchAll(/ \/parley\/(\S+)/g)].map(([, path = ""]) => path);
  return { build, copied, probe: JSON.parse(probe) as string[], command: JSON.parse(command) as string[] };
}

/** Removes what the ignore file keeps from a build, but for the packages, which the build installs. */
async function leaveOnlyContext(folder: string): Promise<void> {
  const { stdout } = await run("git", ["ls-files", "-z"], { cwd: folder, maxBuffer: 1e8 });
  const files = stdout.split("\0").filter((path) => path !== "" && path !== "Dockerfile");
  const context = new Set(dockerContext(folder, files));
  for (const path of files.filter((path) => !context.has(path))) await rm(join(folder, path));
}

it("the files that the Dockerfile copies are enough to start without a build, and its health check passes", {
  timeout: 240_000,
}, async () => {
  const clone = await cleanClone();
  onTestFinished(() => clone.remove());
  await leaveOnlyContext(clone.folder);
  const { build, copied, probe, command } = await dockerfile(clone.folder);
  await run("node", ["-e", build], { cwd: clone.folder, env: { ...clone.environment } });
  const image = await mkdtemp(join(tmpdir(), "parley-image-"));
  onTestFinished(() => rm(image, { recursive: true, force: true }));
  for (const path of copied)
    await cp(join(clone.folder, path), join(image, path), { recursive: true, verbatimSymlinks: true });
  const built = await readdir(join(image, "packages/web/dist"));

  const port = String(await freePortRange(PORTS));
  const env = { ...clone.environment, PORT: port, PARLEY_DATA: join(image, "data"), PARLEY_LOG: "warn" };
  const [program = "", ...args] = command;
  const server = spawn(program, args, { cwd: image, env, stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void server.kill("SIGKILL"));
  let printed = "";
  server.stdout.on("data", (text) => (printed += text));
  while (!/^ {2}try/m.test(printed)) await once(server.stdout, "data");

  expect(printed).not.toMatch(/building|✗/);
  expect(await readdir(join(image, "packages/web/dist"))).toEqual(built);
  const check = (environment: NodeJS.ProcessEnv) =>
    run(probe[0] ?? "", probe.slice(1), { env: environment }).then(
      () => 0,
      ({ code }) => code,
    );
  expect(await check(env)).toBe(0);
  expect((await fetch(`http://localhost:${port}/s/`)).status).toBe(200);
  const ended = once(server, "close");
  server.kill("SIGTERM");
  expect((await ended)[0]).toBe(0);
  expect(await check(env)).toBe(1);
});
