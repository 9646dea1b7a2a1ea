// `npm run container:test`: builds the image of the Dockerfile, and runs it as compose.yaml does. Linux, root and Debian's tools.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { freePortRange } from "../free-ports.ts";
import { systemTool } from "../system-tool.ts";
import { provideBaseImage } from "./base-image.ts";

const root = resolve(import.meta.dirname, "../..");
const run = promisify(execFile);
const IMAGE = "localhost/parley:container-test";
const NAME = `parley-container-test-${process.pid}`;
const READY_MS = 120_000;
// A driver that needs nothing of the kernel.
process.env.STORAGE_DRIVER = "vfs";

const tools = Object.fromEntries(["buildah", "podman", "runc"].map((name) => [name, systemTool(name)]));
const podman = (...args: string[]) =>
  run(tools.podman ?? "", ["--runtime", tools.runc ?? "", ...args], { maxBuffer: 1e8 });

const [, from = ""] = /^FROM (\S+)$/m.exec(await readFile(join(root, "Dockerfile"), "utf8")) ?? [];
await step(`base image ${from}`, () => provideBaseImage(from));
await step("build", () =>
  run(
    tools.buildah ?? "",
    ["build", "--isolation=chroot", "--format=docker", "--pull=never", `--tag=${IMAGE}`, root],
    { maxBuffer: 1e8 },
  ),
);
try {
  await tryContainer();
} catch (error) {
  const { stdout = "", stderr = "" } = await podman("logs", NAME).catch(() => ({}) as Record<string, string>);
  console.error(`${stdout}${stderr}`);
  throw error;
} finally {
  await podman("rm", "--force", "--volumes", "--time=0", NAME);
  await podman("rmi", "--force", IMAGE);
}

async function tryContainer(): Promise<void> {
  const port = await freePortRange(20);
  const url = `http://localhost:${port}`;
  await step("start", async () => {
    await podman(
      ...["run", "--detach", `--name=${NAME}`, "--network=host", "--init=false"],
      ...["--read-only", "--read-only-tmpfs=false", "--tmpfs=/tmp"],
      ...["--cap-drop=ALL", "--security-opt=no-new-privileges"],
      ...["--ulimit=nofile=20000:20000", "--ulimit=nproc=1000:1000", "--volume=/data"],
      ...[`--env=PORT=${port}`, "--env=PARLEY_MODEL=offline", IMAGE],
    );
    await ready(`${url}/readyz`);
  });
  await step("health check", () => podman("healthcheck", "run", NAME));
  await step("web client, built with the image", async () => {
    const page = await fetch(`${url}/s/`);
    if (!page.ok) throw new Error(`/s/ answered ${page.status}`);
    const { stdout } = await podman("logs", NAME);
    if (/building/.test(stdout)) throw new Error("The web client was built when the container started");
  });
  await step("an agent's answer", async () => {
    const command = ["node", "packages/cli/src/main.ts", "chat", "what is 6*7?", `--server=${url}`];
    const { stdout } = await podman("exec", NAME, ...command);
    if (!stdout.includes("42")) throw new Error(`The answer was: ${stdout}`);
  });
  await step("no root, and nothing to write but /data and /tmp", async () => {
    const { stdout: user } = await podman("exec", NAME, "id", "-u");
    if (user.trim() === "0") throw new Error("It runs as root");
    await podman("exec", NAME, "touch", "/data/file", "/tmp/file");
    for (const path of ["/parley/file", "/parley/demo/file", "/usr/file"])
      await podman("exec", NAME, "touch", path).then(
        () => Promise.reject(new Error(`${path} can be written`)),
        () => undefined,
      );
  });
  await step("end", async () => {
    await podman("stop", "--time=20", NAME);
    const { stdout } = await podman("inspect", "--format={{.State.ExitCode}}", NAME);
    if (stdout.trim() !== "0") throw new Error(`It ended with ${stdout.trim()}`);
  });
}

async function ready(url: string): Promise<void> {
  const until = performance.now() + READY_MS;
  while (
    !(await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (performance.now() > until) throw new Error(`${url} was not ready after ${READY_MS / 1_000} s`);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

async function step(name: string, work: () => Promise<unknown>): Promise<void> {
  const began = performance.now();
  try {
    await work();
    console.log(`✓ ${name} ${((performance.now() - began) / 1_000).toFixed(1)} s`);
  } catch (error) {
    console.error(`✗ ${name}`);
    throw error;
  }
}
