import { expect, it } from "vitest";
import { TemporaryProject } from "./temporary-project.ts";

it("the launcher passes on arguments and the exit code", async () => {
  const project = new TemporaryProject();
  project.write("packages/server/src/main.ts", "console.log(process.argv.slice(2).join()); process.exit(7)");
  expect(await project.run("start --port 1")).toMatchObject({ exitCode: 7, stdout: "--port,1\n" });
});

it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "the launcher passes on %s and waits for a clean exit",
  async (signal) => {
    const launch = projectThatStopsOn(signal).launch("start");
    await launch.printed("ready");
    launch.process.kill(signal);
    expect(await launch.ended).toMatchObject({ exitCode: 0, stdout: "ready\nstopping\n" });
  },
);

it("the launcher handles Ctrl-C, which a terminal sends to both launcher and server", async () => {
  const launch = projectThatStopsOn("SIGINT").launch("start", { ownGroup: true });
  await launch.printed("ready");
  process.kill(-Number(launch.process.pid), "SIGINT");
  const { exitCode, stdout } = await launch.ended;
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^ready\n(stopping\n){1,2}$/);
});

it.each(["SIGKILL", "SIGHUP"] as const)(
  "the launcher stops the server as on SIGTERM if %s ends npm, which does not pass it on",
  async (signal) => {
    const launch = projectThatStopsOn("SIGTERM").launch("start", { throughNpm: true });
    await launch.printed("ready");
    launch.process.kill(signal);
    // Launcher and server hold the output open, so it ends with the last of them.
    expect(await launch.ended).toMatchObject({ stdout: "ready\nstopping\n" });
  },
);

it("the launcher exits with 128 + n if signal n ended the server", async () => {
  const project = new TemporaryProject();
  project.write(
    "packages/server/src/main.ts",
    'process.kill(process.pid, "SIGKILL"); setInterval(() => {}, 1000)',
  );
  expect(await project.run("start")).toMatchObject({ exitCode: 137 });
});

function projectThatStopsOn(signal: NodeJS.Signals) {
  const project = new TemporaryProject();
  project.write(
    "packages/server/src/main.ts",
    `const stay = setTimeout(() => {}, 20_000);
    process.on("${signal}", () => {
      console.log("stopping");
      setTimeout(() => clearTimeout(stay), 200);
    });
    console.log("ready");`,
  );
  return project;
}
