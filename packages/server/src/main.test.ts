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

describe("the server at startup", () => {
  it("prints its URL, creates the data folder, and answers its probes", async () => {
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

  it("reports a taken port, and suggests another", async () => {
    const port = await takenPort();
    const server = new ServerProcess({ PORT: String(port), PARLEY_DATA: await testFolder() });
    expect(await refusal(server)).toContain(`Port ${port} is in use by another program`);
  });

  it.each(["eighty", "-1", "65536", "80 80"])("refuses the port %j", async (port) => {
    const server = new ServerProcess({ PORT: port, PARLEY_DATA: await testFolder() });
    expect(await refusal(server)).toContain("PORT must be a number from 0 to 65535");
  });

  it("refuses a data folder that needs shell expansion", async () => {
    expect(await refusal(new ServerProcess({ PARLEY_DATA: "~/parley" }))).toContain("write the full path");
  });

  it("makes the data readable by its owner only", async () => {
    const data = join(await testFolder(), "data");
    await new ServerProcess({ PARLEY_DATA: data }).url();
    const modes = await Promise.all(
      ["", "journal.db", "owner.pid"].map(async (name) => (await stat(join(data, name))).mode),
    );
    expect(modes.map((mode) => mode & 0o077)).toEqual([0, 0, 0]);
  });

  it("keeps running when its output is closed", async () => {
    const server = new ServerProcess({ PARLEY_DATA: await testFolder() });
    const url = await server.url();
    server.child.stdout?.destroy();
    server.child.stderr?.destroy();
    expect((await fetch(`${url}/nowhere`)).status).toBe(404);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });

  it("reports the process that owns the data folder", async () => {
    const data = await testFolder();
    const owner = new ServerProcess({ PARLEY_DATA: data });
    await owner.url();
    const second = new ServerProcess({ PARLEY_DATA: data });
    expect(await refusal(second)).toContain(`${data} is in use by process ${owner.child.pid}`);
  });

  it("reports a data folder that is not writable", async () => {
    const data = join(await testFolder({ file: "" }), "file");
    expect(await refusal(new ServerProcess({ PARLEY_DATA: data }))).toContain(`${data} cannot be written`);
  });

  it("reports a data folder that the user has no permission to write", async () => {
    const parent = await testFolder();
    await chmod(parent, 0o555);
    // Root may write everywhere, so run as another user.
    const asNobody =
      process.getuid?.() === 0 ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : [];
    const server = new ServerProcess({ PARLEY_DATA: join(parent, "data") }, asNobody);
    expect(await refusal(server)).toContain("cannot be written");
  });

  it("reports a full disk", async () => {
    const disk = await testFolder();
    const server = new ServerProcess({ PARLEY_DATA: join(disk, "data") }, smallDisk(disk, "16k"));
    expect(await refusal(server)).toContain("No space is left");
  });

  it("refuses an invalid journal file with its path, and leaves it unchanged", async () => {
    const data = await testFolder();
    await writeFile(join(data, "journal.db"), "my notes");
    expect(await refusal(new ServerProcess({ PARLEY_DATA: data }))).toContain(join(data, "journal.db"));
    expect(await readFile(join(data, "journal.db"), "utf8")).toBe("my notes");
  });
});

describe("the server at shutdown", () => {
  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "stops cleanly on %s, however often it is sent",
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

  it("stops within two seconds during the first build of the web client, and leaves no partial build behind", async () => {
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

  it("stops within two seconds even while clients hold connections and partial requests", async () => {
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

  it("stops when its parent process is killed", async () => {
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
