import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { backUp } from "@parley/server/data";
import type { Command } from "commander";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { manageCommands } from "./manage-commands.ts";
import { ParleyProcess, parley } from "./testing/parley-process.ts";
import { PlayedPlatform } from "./testing/played-platform.ts";

const platform = new PlayedPlatform();
/** A web server that is not Parley. */
let otherServer: Server;

beforeAll(async () => {
  otherServer = createServer((_, response) => response.writeHead(404).end("<h1>Not here</h1>"));
  await once(otherServer.listen(0, "127.0.0.1"), "listening");
});
afterAll(() => void otherServer.close());

type Case = readonly [line: string, code: number, said: RegExp];

/** Command lines that are wrong for any server. */
const USAGE: readonly Case[] = [
  ["agents list extra", 2, /too many arguments/],
  ["agents frob", 2, /unknown command 'parley agents frob': use one of list, add, check, /],
  ["agents chekc http://x", 2, /unknown command 'parley agents chekc': did you mean check\?/],
  ["agents --json check x", 2, /'check' must come before its options, as in: parley agents check …/],
  ["sessions exprot x", 2, /unknown command 'parley sessions exprot': did you mean export\?/],
  ["mcp lsit", 2, /unknown command 'parley mcp lsit': did you mean list\?/],
  ["webhooks reply x", 2, /unknown command 'parley webhooks reply': did you mean replay\?/],
  ["webhooks replay", 2, /missing required argument 'task'/],
  ["webhooks replay x --index first", 2, /It must be a whole number/],
  ["webhooks list --limit many", 2, /It must be a whole number/],
  ["agents add", 2, /missing required argument 'url'/],
  ["agents add nowhere", 2, /"nowhere" is not an agent URL/],
  ["agents check", 2, /missing required argument 'agent'/],
  ["agents remove", 2, /missing required argument 'name'/],
  ["agents restore", 2, /missing required argument 'name'/],
  ["agents enable", 2, /missing required argument 'name'/],
  ["agents disable", 2, /missing required argument 'name'/],
  ["mcp stdio --server nonsense", 2, /--server must be a URL like/],
  ["mcp list --loud", 2, /unknown option '--loud'/],
  ["sessions list --limit none", 2, /whole number/],
  ["sessions list --status gone", 2, /Allowed choices are active, archived, deleted/],
  ["sessions show", 2, /missing required argument 'session'/],
  ["sessions fork", 2, /missing required argument 'session'/],
  ["sessions fork x --at y --event 2", 2, /cannot be used with/],
  ["sessions export x --format pdf", 2, /Allowed choices are jsonl, markdown/],
  ["sessions import missing.jsonl", 2, /Cannot read missing.jsonl: no such file/],
  ["sessions import -", 2, /- is empty/],
  ["sessions delete", 2, /missing required argument 'session'/],
  ["sessions restore", 2, /missing required argument 'session'/],
  ["sessions search", 2, /missing required argument 'words'/],
  ["keys create", 2, /missing required argument 'name'/],
  ["keys create x --role king", 2, /Allowed choices are owner, editor, viewer/],
  ["keys create x --expires soon", 2, /'soon' is invalid. It must be a whole number of at least 1/],
  ["keys create x --data agents/mcp.json", 1, /agents\/mcp.json/],
  ["keys revoke", 2, /missing required argument 'key'/],
  ["audit --limit none", 2, /whole number/],
  ["sessions list --key käse", 2, /is not an API key; keys start with parley_/],
  ["logs --since yesterday", 2, /It must be like 90s, 15m, 2h/],
  ["logs --level loud", 2, /Allowed choices are trace/],
  ["logs --data nowhere", 1, /No log in .*nowhere: start Parley/],
  ["logs --data ~/x", 1, /No log in/],
  ["backup --data nowhere", 1, /There is no data folder .*nowhere/],
  ["backup --database mysql://x", 2, /DATABASE_URL must be a Postgres URL/],
  ["backup data/inside.tar.gz", 1, /choose another place/],
  ["backup agents/mcp.json", 1, /is there already: choose another name/],
  ["restore", 2, /missing required argument 'file'/],
  ["restore missing.tar.gz", 1, /There is no backup .*missing.tar.gz/],
  ["restore agents/mcp.json --data fresh", 1, /is not a whole backup of Parley/],
  ["init agents", 2, /agents already contains stock.md, .*; choose another folder/],
  ["init nowhere/deep", 1, /Cannot create nowhere\/deep: no such file or folder/],
  ["up --port abc", 2, /'--port <number>' argument 'abc' is invalid. It must be a number from 0 to 65535/],
  ["up --agents nowhere", 2, /^No such folder: nowhere; "parley init nowhere" creates one\n$/],
  ["up --database mysql://x", 2, /DATABASE_URL must be a Postgres URL/],
  ["up extra", 2, /too many arguments/],
  ["agent missing.md", 2, /^No such agent file: missing.md\n$/],
  ["agent agents/stock.md --port 70000", 2, /It must be a number from 0 to 65535/],
  ["help frob", 2, /^error: unknown command 'frob'\n/],
  ["lgos", 2, /unknown command 'lgos'\n\(Did you mean logs\?\)/],
  ["completion", 2, /missing required argument 'shell'/],
  ["completion powershell", 2, /Allowed choices are bash, zsh, fish/],
];

/** Command lines that name something that does not exist. */
const UNKNOWN: readonly Case[] = [
  ["agents check nobody", 1, /^There is no agent nobody\n$/],
  ["agents remove nobody", 1, /nobody/],
  ["agents remove stock", 1, /stock/],
  ["agents restore nobody", 1, /nobody/],
  ["agents enable nobody", 1, /nobody/],
  ["agents disable nobody", 1, /nobody/],
  ["agents check http://127.0.0.1:1", 1, /^$/],
  ["agents add http://127.0.0.1:1", 1, /cannot be reached.*\nNot added/s],
  ["sessions show nope", 1, /^No session nope; "parley sessions list" lists them/],
  ["sessions show a/../b", 1, /^No session/],
  ["sessions fork nope", 1, /^No session nope/],
  ["sessions export nope", 1, /^No session nope/],
  ["sessions delete nope", 1, /^No session nope/],
  ["sessions restore nope", 1, /^No deleted session nope/],
  ["sessions import agents/mcp.json", 1, /agents\/mcp.json is not an exported session: line 1/],
  ["sessions list --cursor nonsense", 1, /cursor/],
  ["keys revoke nothing", 1, /^No API key nothing; "parley keys" lists them/],
  ["sessions list --key parley_nonsense", 1, /^This API key is not known here, or was revoked/],
  ["webhooks replay nope", 1, /^No undelivered notification matches; "parley webhooks list" lists them/],
  ["webhooks list --limit 0", 1, /limit/],
];

/** Every command that calls a server, with valid arguments. */
const SERVER_COMMANDS = [
  "agents list",
  "agents add http://127.0.0.1:1",
  "agents check x",
  "agents remove x",
  "agents restore x",
  "agents enable x",
  "agents disable x",
  "mcp list",
  "keys list",
  "keys create x",
  "keys revoke x",
  "audit",
  "sessions list",
  "sessions show x",
  "sessions fork x",
  "sessions export x",
  "sessions import agents/mcp.json",
  "sessions delete x",
  "sessions restore x",
  "sessions search x",
  "webhooks list",
  "webhooks replay x",
];

/** No stack trace. */
function isPlain({ err }: { readonly err: string }): boolean {
  return !/^ {4}at |bug in Parley/m.test(err);
}

describe("parley with a wrong command line", () => {
  it.concurrent.each(USAGE)(
    "prints a message for `%s` and exits with %i",
    { timeout: 180_000 },
    async (line, code, said) => {
      const ended = await platform.run(line.split(" "));
      expect(ended).toEqual({ code, out: "", err: expect.stringMatching(said) });
      expect(isPlain(ended)).toBe(true);
    },
  );

  it.concurrent.each(UNKNOWN)(
    "names what does not exist for `%s` and exits with %i",
    { timeout: 180_000 },
    async (line, code, said) => {
      const ended = await platform.run(line.split(" "));
      expect([ended.code, ended.err]).toEqual([code, expect.stringMatching(said)]);
      expect(isPlain(ended)).toBe(true);
    },
  );

  it.concurrent.each(SERVER_COMMANDS)(
    "exits with 3 for `%s` without a server",
    { timeout: 180_000 },
    async (line) => {
      const ended = await platform.run([...line.split(" "), "--server", "http://127.0.0.1:1"]);
      expect(ended).toEqual({
        code: 3,
        out: "",
        err: expect.stringMatching(/^Cannot reach Parley at .*npm start.*\n$/),
      });
    },
  );

  it.concurrent.each([
    ["nonsense", 2, /--server must be a URL/],
    ["ftp://x", 2, /--server must be a URL/],
  ] as const)("rejects --server %s with %i", { timeout: 180_000 }, async (server, code, said) => {
    const ended = await platform.run(["agents", "--server", server]);
    expect(ended).toEqual({ code, out: "", err: expect.stringMatching(said) });
  });

  it("reports a server that is not Parley", { timeout: 180_000 }, async () => {
    const server = `http://127.0.0.1:${(otherServer.address() as AddressInfo).port}`;
    const ended = await platform.run(["sessions", "--server", server]);
    expect(ended).toEqual({ code: 1, out: "", err: expect.stringMatching(/is not Parley/) });
  });

  it("is tested for every command", () => {
    const lines = [...USAGE.map(([line]) => line), ...SERVER_COMMANDS].map((line) => `${line} `);
    const leaves = manageCommands().flatMap((command) => leavesOf(command, ""));
    expect(leaves.length).toBeGreaterThan(15);
    expect(leaves.filter((leaf) => !lines.some((line) => line.startsWith(`${leaf} `)))).toEqual([]);
  });
});

describe("Ctrl-C", () => {
  it("stops `logs --follow` with exit code 130", { timeout: 180_000 }, async () => {
    const following = new ParleyProcess(["logs", "--follow", "--data", platform.data]);
    await following.said(/listening/);
    await parley(["agents", "check", "stock", "--server", platform.url]);
    following.child.kill("SIGINT");
    expect(await following.ended).toMatchObject({ code: 130, err: "Interrupted\n" });
  });

  it("leaves no incomplete backup", async () => {
    const interrupted = new AbortController();
    const making = backUp(
      { dataFolder: platform.data, databaseUrl: undefined },
      join(platform.folder, "never.tar.gz"),
      {
        signal: interrupted.signal,
        progress: (text) => text === "journal.db" && interrupted.abort(),
      },
    );
    await expect(making).rejects.toThrow(/abort/);
    const left = await readdir(platform.folder);
    expect(left.filter((name) => /never|^\./.test(name))).toEqual([]);
  });
});

function leavesOf(command: Command, before: string): string[] {
  const line = `${before} ${command.name()}`.trim();
  return command.commands.length === 0 ? [line] : command.commands.flatMap((sub) => leavesOf(sub, line));
}
