import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { smallDisk } from "@parley/testing/small-disk.ts";
import { testFolder } from "@parley/testing/test-folder.ts";
import { expect, it, onTestFinished } from "vitest";
import { numberedTokens, startSlowPeer } from "../peers/index.ts";
import { during } from "../peers/testing/peer-client.ts";
import { answerText } from "./testing/answer-text.ts";
import { type PlatformOptions, RecordPlatform, STORAGES, type Storage } from "./testing/record-platform.ts";

const POSTGRES = fileURLToPath(import.meta.resolve("@parley/testing/postgres-on-small-disk.ts"));
const TOKENS = numberedTokens(100);

/** A platform whose journal is on a small disk, and the path on that disk that holds nothing yet. */
async function onSmallDisk(
  storage: Storage,
  peers: Parameters<typeof RecordPlatform.start>[0],
): Promise<{ platform: RecordPlatform; ballast: string }> {
  if (storage === "SQLite") {
    const around: PlatformOptions["around"] = (folder) => smallDisk(folder, "16m");
    const platform = await RecordPlatform.start(peers, { around });
    return { platform, ballast: join(platform.ownDataFolder, "ballast") };
  }
  const disk = await testFolder();
  const { database, process } = await smallPostgres(disk);
  const platform = await RecordPlatform.start(peers, { database });
  return { platform, ballast: `/proc/${process.pid}/root${disk}/ballast` };
}

async function smallPostgres(disk: string): Promise<{ database: string; process: ChildProcess }> {
  const [command = "", ...rest] = [...smallDisk(disk, "48m"), globalThis.process.execPath, POSTGRES, disk];
  const child = spawn(command, rest, { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "close");
  onTestFinished(async () => {
    child.stdin.end();
    await ended;
  });
  const [url] = await once(child.stdout, "data");
  return { database: String(url).trim(), process: child };
}

/** Leaves no byte. */
function fill(path: string): void {
  const file = openSync(path, "w");
  for (let size = 65_536; size >= 1; size = Math.floor(size / 2)) {
    try {
      for (;;) writeSync(file, Buffer.alloc(size));
    } catch (error) {
      expect(error).toMatchObject({ code: "ENOSPC" });
    }
  }
  closeSync(file);
}

it.each(STORAGES)(
  "invariant 18: a full disk on %s returns a 503 and no acknowledgement; reads continue, and writes and runs resume with free space",
  {
    timeout: 180_000,
  },
  async (storage) => {
    const slow = await during(startSlowPeer({ tokens: TOKENS, pause: 80 }));
    const { platform, ballast } = await onSmallDisk(storage, { slow });
    const { api, url } = platform;
    const speaking = await api.create({ agent: "slow", title: "Speaking" });
    await api.post(speaking, "Speak");
    await api.until(speaking, ({ events }) => answerText(events).length > 20);
    const acknowledged: string[] = ["Speaking"];
    const create = async (title: string) => {
      const response = await fetch(`${url}/api/v1/sessions`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ title, config: { text: noise(5_000) } }),
      });
      if (response.ok) acknowledged.push(title);
      return { response, body: await response.text() };
    };
    const titles = async () => {
      const { sessions } = await api.call<{ sessions: { title: string }[] }>("GET", "/sessions?limit=200");
      return sessions.map(({ title }) => title);
    };

    fill(ballast);
    let refused = await create("0");
    for (let n = 1; refused.response.ok && n < 150; n++) refused = await create(String(n));
    expect(refused.response.status).toBe(503);
    expect(refused.response.headers.get("content-type")).toBe("application/problem+json");
    expect(Number(refused.response.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(refused.body).not.toContain("disk");
    expect((await titles()).toSorted()).toEqual(acknowledged.toSorted());

    rmSync(ballast);
    const isBack = async () => (await create("Back")).response.status;
    await expect.poll(isBack, { timeout: 60_000 }).toBe(201);
    expect((await titles()).toSorted()).toEqual(acknowledged.toSorted());
    const { events } = await api.ended(speaking, 40_000);
    expect(answerText(events)).toBe(TOKENS.join(""));
    expect(events.at(-1)).toMatchObject({ type: "agent_complete", payload: { state: "completed" } });
  },
);

/** Incompressible text. */
function noise(length: number): string {
  return Array.from({ length: length / 10 }, () => Math.random().toString(36).slice(2, 12)).join("");
}
