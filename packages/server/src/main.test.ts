import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bareEnvironment } from "@parley/testing/bare-environment.ts";
import { patient } from "@parley/testing/patient.ts";
import { smallDisk } from "@parley/testing/small-disk.ts";
import { testFolder } from "@parley/testing/test-folder.ts";
import { describe, expect, it } from "vitest";
import { refusal, ServerProcess, takenPort } from "./testing/server-process.ts";

describe("starting", () => {
  it("says where it serves, makes the data folder, and answers its probes", async () => {
    const data = join(await testFolder(), "deep", "data");
    const server = new ServerProcess({ PARLEY_DATA: data });
    const url = await server.url();
    await expect.poll(() => server.output).toContain(`SQLite in ${data}`);
    expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ status: "ok" });
    await expect.poll(async () => (await fetch(`${url}/readyz`)).status).toBe(200);
    const ready = await fetch(`${url}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([
      200,
      { status: "ready", checks: { journal: true, agents: {}, files: [] } },
    ]);
    expect((await readFile(join(data, "journal.db"))).toString("latin1", 0, 15)).toBe("SQLite format 3");
  });

  it("says when its port is taken, and which to try", async () => {
    const port = await takenPort();
    const server = new ServerProcess({ PORT: String(port), PARLEY_DATA: await testFolder() });
    expect(await refusal(server)).toContain(`Port ${port} is in use by another program`);
  });

  it.each(["eighty", "-1", "65536", "80 80"])("refuses the port %j", async (port) => {
    const server = new ServerProcess({ PORT: port, PARLEY_DATA: await testFolder() });
    expect(await refusal(server)).toContain("PORT must be a number from 0 to 65535");
  });

  it("refuses a data folder that only a shell would understand", async () => {
    expect(await refusal(new ServerProcess({ PARLEY_DATA: "~/parley" }))).toContain("write the full path");
  });

  it("lets only its owner read the data", async () => {
    const data = join(await testFolder(), "data");
    await new ServerProcess({ PARLEY_DATA: data }).url();
    const modes = await Promise.all(
      ["", "journal.db", "owner.pid"].map(async (name) => (await stat(join(data, name))).mode),
    );
    expect(modes.map((mode) => mode & 0o077)).toEqual([0, 0, 0]);
  });

  it("goes on when nobody reads its output any more", async () => {
    const server = new ServerProcess({ PARLEY_DATA: await testFolder() });
    const url = await server.url();
    server.child.stdout?.destroy();
    server.child.stderr?.destroy();
    expect((await fetch(`${url}/nowhere`)).status).toBe(404);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });

  it("says which process owns the data folder", async () => {
    const data = await testFolder();
    const owner = new ServerProcess({ PARLEY_DATA: data });
    await owner.url();
    const second = new ServerProcess({ PARLEY_DATA: data });
    expect(await refusal(second)).toContain(`${data} is in use by process ${owner.child.pid}`);
  });

  it("says that the data folder cannot be written", async () => {
    const data = join(await testFolder({ file: "" }), "file");
    expect(await refusal(new ServerProcess({ PARLEY_DATA: data }))).toContain(`${data} cannot be written`);
  });

  it("says so to a user who may not write there", async () => {
    const parent = await testFolder();
    await chmod(parent, 0o555);
    // Root may write everywhere: then somebody else tries.
    const asNobody =
      process.getuid?.() === 0 ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : [];
    const server = new ServerProcess({ PARLEY_DATA: join(parent, "data") }, asNobody);
    expect(await refusal(server)).toContain("cannot be written");
  });

  it("says that the disk is full", async () => {
    const disk = await testFolder();
    const server = new ServerProcess({ PARLEY_DATA: join(disk, "data") }, smallDisk(disk, "16k"));
    expect(await refusal(server)).toContain("No space is left");
  });

  it("refuses a journal that is none, with its path, and leaves it as it is", async () => {
    const data = await testFolder();
    await writeFile(join(data, "journal.db"), "my notes");
    expect(await refusal(new ServerProcess({ PARLEY_DATA: data }))).toContain(join(data, "journal.db"));
    expect(await readFile(join(data, "journal.db"), "utf8")).toBe("my notes");
  });
});

describe("ending", () => {
  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "ends cleanly on %s, however often it comes",
    async (signal) => {
      const data = await testFolder();
      const server = new ServerProcess({ PARLEY_DATA: data });
      await server.url();
      const start = performance.now();
      for (let n = 0; n < 3; n++) server.child.kill(signal);
      expect(await server.ended).toBe(0);
      expect(performance.now() - start).toBeLessThan(patient(2_000));
      const again = new ServerProcess({ PARLEY_DATA: data });
      await again.url();
    },
  );

  it("ends within two seconds while the web client is built for the first time, and leaves nothing of the build behind", async () => {
    const dist = await testFolder();
    const program = [fileURLToPath(new URL("testing/build-elsewhere.ts", import.meta.url)), dist];
    const server = new ServerProcess({ PARLEY_DATA: await testFolder() }, [], { program });
    await expect.poll(() => server.output, { timeout: 60_000 }).toContain("building the web client");
    await expect.poll(() => readdir(dist)).toHaveLength(1);
    const start = performance.now();
    expect((await server.end("SIGTERM")).code).toBe(0);
    expect(performance.now() - start).toBeLessThan(patient(2_000));
    expect(await readdir(dist)).toEqual([]);
    expect(server.errors).not.toContain("could not be built");
  });

  it("ends within two seconds even while clients hold connections and half a request", async () => {
    const server = new ServerProcess({ PARLEY_DATA: await testFolder() });
    const url = new URL(await server.url());
    const socket = connect(Number(url.port), "127.0.0.1");
    await once(socket, "connect");
    socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n");
    socket.on("error", () => {});
    const start = performance.now();
    server.child.kill("SIGTERM");
    expect(await server.ended).toBe(0);
    expect(performance.now() - start).toBeLessThan(patient(2_000));
  });

  it("ends when the process that started it is killed", async () => {
    const data = await testFolder();
    const program = `
      const { spawn } = require("node:child_process");
      const server = spawn(process.execPath, [${JSON.stringify(new URL("main.ts", import.meta.url).pathname)}]);
      server.stdout.once("data", () => console.log(server.pid));`;
    const parent = spawn(process.execPath, ["-e", program], {
      env: { ...bareEnvironment(), PORT: "0", PARLEY_DATA: data },
    });
    const [pid] = await once(parent.stdout, "data");
    parent.kill("SIGKILL");
    await expect.poll(() => isAlive(Number(String(pid))), { timeout: 60_000 }).toBe(false);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
