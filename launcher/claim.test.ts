import { spawnSync } from "node:child_process";
import { utimesSync } from "node:fs";
import { expect, it } from "vitest";
import { TemporaryProject } from "./temporary-project.ts";

const waiting = "waiting for another launcher";

it("a claim waits for a launcher that is setting up", async () => {
  const project = new TemporaryProject();
  const claim = `.node/claims/${process.pid}`;
  project.write(claim, "");
  const launch = project.launch("start");
  await launch.printed(waiting);
  project.remove(claim);
  const { exitCode, stderr } = await launch.ended;
  expect(exitCode).toBe(0);
  expect(stderr).toContain(`✓ ${waiting}`);
  expect(stderr).toContain("✓ installing packages");
});

it("a claim does not wait for a launcher that was killed", async () => {
  const project = new TemporaryProject();
  const { pid } = spawnSync(process.execPath, ["--version"]);
  project.write(`.node/claims/${pid}`, "");
  expect((await project.run("start")).stderr).not.toContain(waiting);
  expect(project.list(".node/claims")).toEqual([]);
});

it("a claim does not wait for another program that reuses the process id of a killed launcher", async () => {
  const project = new TemporaryProject();
  project.write(`.node/claims/${process.pid}`, "");
  const aMinuteAgo = Date.now() / 1000 - 60;
  utimesSync(project.path(`.node/claims/${process.pid}`), aMinuteAgo, aMinuteAgo);
  expect((await project.run("start")).stderr).not.toContain(waiting);
});
