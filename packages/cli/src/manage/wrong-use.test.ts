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
/** Something on the web that is not Parley. */
let stranger: Server;

beforeAll(async () => {
  stranger = createServer((_, response) => response.writeHead(404).end("<h1>Not here</h1>"));
  await once(stranger.listen(0, "127.0.0.1"), "listening");
});
afterAll(() => void stranger.close());

type Case = readonly [line: string, code: number, said: RegExp];

/** Command lines that are wrong whoever answers. */
const USAGE: readonly Case[] = [
  ["agents list extra", 2, /too many arguments/],
  ["agents frob", 2, /'parley agents' has no command 'frob': there are list, add, check, /],
  ["agents chekc http://x", 2, /'parley agents' has no command 'chekc': did you mean check\?/],
  ["agents --json check x", 2, /'check' comes before its options, as in: parley agents check …/],
  ["sessions exprot x", 2, /'parley sessions' has no command 'exprot': did you mean export\?/],
  ["mcp lsit", 2, /'parley mcp' has no command 'lsit': did you mean list\?/],
  ["webhooks reply x", 2, /'parley webhooks' has no command 'reply': did you mean replay\?/],
  ["webhooks replay", 2, /missing required argument 'task'/],
  ["webhooks replay x --index first", 2, /It is a whole number/],
  ["webhooks list --limit many", 2, /It is a whole number/],
  ["agents add", 2, /missing required argument 'url'/],
  ["agents add nowhere", 2, /An agent's address is like/],
  ["agents check", 2, /missing required argument 'agent'/],
  ["agents remove", 2, /missing required argument 'name'/],
  ["agents restore", 2, /missing required argument 'name'/],
  ["agents enable", 2, /missing required argument 'name'/],
  ["agents disable", 2, /missing required argument 'name'/],
  ["mcp stdio --server nonsense", 2, /--server must be an address like/],
  ["mcp list --loud", 2, /unknown option '--loud'/],
  ["sessions list --limit none", 2, /whole number/],
  ["sessions list --status gone", 2, /Allowed choices are active, archived, deleted/],
  ["sessions show", 2, /missing required argument 'session'/],
  ["sessions fork", 2, /missing required argument 'session'/],
  ["sessions fork x --at y --event 2", 2, /cannot be used with/],
  ["sessions export x --format pdf", 2, /Allowed choices are jsonl, markdown/],
  ["sessions import missing.jsonl", 2, /missing.jsonl cannot be read \(ENOENT\)/],
  ["sessions import -", 2, /- is empty/],
  ["sessions delete", 2, /missing required argument 'session'/],
  ["sessions restore", 2, /missing required argument 'session'/],
  ["sessions search", 2, /missing required argument 'words'/],
  ["keys create", 2, /missing required argument 'name'/],
  ["keys create x --role king", 2, /Allowed choices are owner, editor, viewer/],
  ["keys create x --expires soon", 2, /--expires must be a number of days, not soon/],
  ["keys create x --data agents/mcp.json", 1, /agents\/mcp.json/],
  ["keys revoke", 2, /missing required argument 'key'/],
  ["audit --limit none", 2, /whole number/],
  ["sessions list --key käse", 2, /is no API key: it begins with parley_/],
  ["logs --since yesterday", 2, /It is like 90s, 15m, 1h/],
  ["logs --level loud", 2, /Allowed choices are trace/],
  ["logs --data nowhere", 1, /There is no log in .*nowhere: start Parley/],
  ["logs --data ~/x", 1, /There is no log in/],
  ["backup --data nowhere", 1, /There is no data folder .*nowhere/],
  ["backup --database mysql://x", 2, /DATABASE_URL must be a Postgres URL/],
  ["backup data/inside.tar.gz", 1, /choose another place/],
  ["backup agents/mcp.json", 1, /is there already: choose another name/],
  ["restore", 2, /missing required argument 'file'/],
  ["restore missing.tar.gz", 1, /There is no backup .*missing.tar.gz/],
  ["restore agents/mcp.json --data fresh", 1, /is not a whole backup of Parley/],
  ["init agents", 2, /agents has stock.md, .* already: choose another folder/],
  ["init nowhere/deep", 1, /nowhere\/deep cannot be made \(ENOENT\)/],
  ["up --port abc", 2, /'--port <number>' argument 'abc' is invalid. It is a number from 0 to 65535/],
  ["up --agents nowhere", 2, /^There is no folder nowhere: "parley init nowhere" makes one with an agent\n$/],
  ["up --database mysql://x", 2, /DATABASE_URL must be a Postgres URL/],
  ["up extra", 2, /too many arguments/],
  ["agent missing.md", 2, /^There is no file missing.md: name an agent's Markdown file\n$/],
  ["agent agents/stock.md --port 70000", 2, /It is a number from 0 to 65535/],
  ["help frob", 2, /^error: unknown command 'frob'\n/],
  ["lgos", 2, /unknown command 'lgos'\n\(Did you mean logs\?\)/],
  ["completion", 2, /missing required argument 'shell'/],
  ["completion powershell", 2, /Allowed choices are bash, zsh, fish/],
];

/** Command lines that name what is not there. */
const UNKNOWN: readonly Case[] = [
  ["agents check nobody", 1, /^There is no agent nobody\n$/],
  ["agents remove nobody", 1, /nobody/],
  ["agents remove stock", 1, /stock/],
  ["agents restore nobody", 1, /nobody/],
  ["agents enable nobody", 1, /nobody/],
  ["agents disable nobody", 1, /nobody/],
  ["agents check http://127.0.0.1:1", 1, /^$/],
  ["agents add http://127.0.0.1:1", 1, /cannot be reached.*\nIt was not added/s],
  ["sessions show nope", 1, /^There is no session nope: "parley sessions list" shows/],
  ["sessions show a/../b", 1, /^There is no session/],
  ["sessions fork nope", 1, /^There is no session nope/],
  ["sessions export nope", 1, /^There is no session nope/],
  ["sessions delete nope", 1, /^There is no session nope/],
  ["sessions restore nope", 1, /^There is no deleted session nope/],
  [
    "sessions import agents/mcp.json",
    1,
    /agents\/mcp.json is not what "parley sessions export" wrote: line 1/,
  ],
  ["sessions list --cursor nonsense", 1, /cursor/],
  ["keys revoke nothing", 1, /^There is no such key: parley keys lists them/],
  ["sessions list --key parley_nonsense", 1, /^This API key is not known here, or was revoked/],
  ["webhooks replay nope", 1, /^No such notification was given up: parley webhooks list shows/],
  ["webhooks list --limit 0", 1, /limit/],
];

/** Every command that talks to a server, with arguments that would do. */
const TALKING = [
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

/** One or two lines for a person, nothing for a program, and no stack. */
function isPlain({ err }: { readonly err: string }): boolean {
  return !/^ {4}at |mistake in Parley/m.test(err);
}

describe("what is wrong is a sentence and an exit code", () => {
  it.concurrent.each(USAGE)("parley %s: %i", { timeout: 180_000 }, async (line, code, said) => {
    const ended = await platform.run(line.split(" "));
    expect(ended).toEqual({ code, out: "", err: expect.stringMatching(said) });
    expect(isPlain(ended)).toBe(true);
  });

  it.concurrent.each(UNKNOWN)(
    "parley %s, of what is not there: %i",
    { timeout: 180_000 },
    async (line, code, said) => {
      const ended = await platform.run(line.split(" "));
      expect([ended.code, ended.err]).toEqual([code, expect.stringMatching(said)]);
      expect(isPlain(ended)).toBe(true);
    },
  );

  it.concurrent.each(TALKING)("parley %s, without a server: 3", { timeout: 180_000 }, async (line) => {
    const ended = await platform.run([...line.split(" "), "--server", "http://127.0.0.1:1"]);
    expect(ended).toEqual({
      code: 3,
      out: "",
      err: expect.stringMatching(/^Nobody answers at .*npm start.*\n$/),
    });
  });

  it.concurrent.each([
    ["nonsense", 2, /--server must be an address/],
    ["ftp://x", 2, /--server must be an address/],
  ] as const)("--server %s: %i", { timeout: 180_000 }, async (server, code, said) => {
    const ended = await platform.run(["agents", "--server", server]);
    expect(ended).toEqual({ code, out: "", err: expect.stringMatching(said) });
  });

  it("says so when what answers is not Parley", { timeout: 180_000 }, async () => {
    const server = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`;
    const ended = await platform.run(["sessions", "--server", server]);
    expect(ended).toEqual({ code: 1, out: "", err: expect.stringMatching(/is not Parley/) });
  });

  it("is known of every command: none is missing from these lists", () => {
    const lines = [...USAGE.map(([line]) => line), ...TALKING].map((line) => `${line} `);
    const leaves = manageCommands().flatMap((command) => leavesOf(command, ""));
    expect(leaves.length).toBeGreaterThan(15);
    expect(leaves.filter((leaf) => !lines.some((line) => line.startsWith(`${leaf} `)))).toEqual([]);
  });
});

describe("Ctrl-C", () => {
  it("ends what follows the log, with exit code 130", { timeout: 180_000 }, async () => {
    const following = new ParleyProcess(["logs", "--follow", "--data", platform.data]);
    await following.said(/listening/);
    await parley(["agents", "check", "stock", "--server", platform.url]);
    following.child.kill("SIGINT");
    expect(await following.ended).toMatchObject({ code: 130, err: "Interrupted\n" });
  });

  it("leaves nothing of a backup", async () => {
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
