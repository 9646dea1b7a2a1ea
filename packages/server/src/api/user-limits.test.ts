import type { IncomingMessage } from "node:http";
import { type Identity, LOCAL_USER, Revocations, ShareLinks, shareAuthenticator } from "@parley/identity";
import { openMemoryJournal } from "@parley/journal";
import { Sessions } from "@parley/sessions";
import { pino } from "pino";
import { afterEach, expect, it, onTestFinished } from "vitest";
import { journalTables } from "../journal-tables.ts";
import { OpenStreams } from "./events/open-streams.ts";
import { RequestRates } from "./request-rates.ts";
import { ApiServer } from "./testing/api-server.ts";
import { EventReader } from "./testing/event-reader.ts";

let api: ApiServer;
afterEach(() => api.stop());

it("messages, edits and forks share one command rate: beyond it each gets a 429 with Retry-After (S4.33)", async () => {
  const rate = { perSecond: 0.001, atOnce: 5 };
  api = await ApiServer.start({ requests: { commands: rate, reads: { perSecond: 1_000, atOnce: 1_000 } } });
  // A session and its first message.
  const { id, messageId } = await api.begun();
  const edited = await api.ask("PUT", `/api/v1/sessions/${id}/messages/${messageId}`, {
    content: "Otherwise",
  });
  const forked = await api.ask("POST", `/api/v1/sessions/${id}/fork`, {});
  expect([edited.status, forked.status]).toEqual([201, 201]);
  expect((await api.ask("POST", `/api/v1/sessions/${id}/fork`, {})).status).toBe(201);
  const refused = [
    await api.ask("POST", `/api/v1/sessions/${id}/messages`, { content: "Again" }),
    await api.ask("PUT", `/api/v1/sessions/${id}/messages/${messageId}`, { content: "Again" }),
    await api.ask("POST", `/api/v1/sessions/${id}/fork`, {}),
    await api.ask("POST", `/api/v1/sessions/${id}/branch`, { content: "Again", messageId }),
  ];
  for (const { status, headers, json } of refused) {
    expect([status, json.code]).toEqual([429, "rate_limited"]);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
  }
  // Another user has their own rate, and reads are still allowed.
  const bob = { "x-test-owner": "bob" };
  expect((await api.ask("POST", "/api/v1/sessions", {}, bob)).status).toBe(201);
  expect((await api.ask("GET", `/api/v1/sessions/${id}`)).status).toBe(200);
});

it("a user's event streams are limited: the next one gets a 429 until one is closed (S4.33)", async () => {
  api = await ApiServer.start({}, undefined, { streams: new OpenStreams(2) });
  const events = `${api.url}/api/v1/events`;
  const open = [new EventReader(events), new EventReader(events)];
  for (const reader of open) await reader.until(({ received }) => received.length > 0);
  const { status, headers, json } = await api.ask("GET", "/api/v1/events");
  expect([status, json.code, headers.get("retry-after")]).toEqual([429, "rate_limited", "5"]);
  const bob = new EventReader(events, { headers: { "x-test-owner": "bob" } });
  await bob.until((reader) => reader.status === 200);
  open[0]?.close();
  const again = async () => {
    const reader = new EventReader(events);
    await reader.until((it) => it.status > 0);
    reader.close();
    return reader.status;
  };
  await expect.poll(again).toBe(200);
  for (const reader of [...open, bob]) reader.close();
});

it("a user's rate and stream limits span all workspaces: creating more workspaces does not raise them (S4.33)", () => {
  const rates = new RequestRates({
    commands: { perSecond: 0.001, atOnce: 2 },
    reads: { perSecond: 1, atOnce: 1 },
  });
  const streams = new OpenStreams(1);
  const at = (workspace: string, owner = "usr_ann") => ({ owner, workspace });
  rates.count(at("one"), "commands");
  rates.count(at("two"), "commands");
  expect(() => rates.count(at("three"), "commands")).toThrow("per second; wait");
  streams.take(at("one"));
  expect(() => streams.take(at("two"))).toThrow("event streams open");
  // A key's creator names its user: the same name in another workspace is another user.
  for (const workspace of ["one", "two"]) rates.count(at(workspace, "ann"), "commands");
});

it("a link's readers use no streams of its owner or of other links, and gain nothing from invented tokens (S4.33)", async () => {
  const journal = openMemoryJournal({ projections: journalTables() });
  const revocations = new Revocations(journal, pino({ level: "silent" }));
  const access = { ofUser: async () => new AbortController().signal };
  const links = shareAuthenticator(new ShareLinks(journal, new Sessions(journal), { revocations, access }));
  const byLink = async (request: IncomingMessage): Promise<Identity> => (await links(request)) ?? LOCAL_USER;
  const reads = { perSecond: 0.001, atOnce: 12 };
  api = await ApiServer.start({ requests: { reads, commands: { perSecond: 100, atOnce: 100 } } }, journal, {
    identityOf: byLink,
    streams: new OpenStreams(1),
  });
  const { json } = await api.ask("POST", "/api/v1/sessions", {});
  const token = async () =>
    (await api.ask("POST", `/api/v1/sessions/${json.session.id}/shares`, {})).json.share.token as string;
  const [one, other] = [await token(), await token()];
  const opened = async (url: string, headers: Record<string, string> = {}) => {
    const reader = new EventReader(`${api.url}${url}`, { headers });
    await reader.until(({ status }) => status > 0);
    onTestFinished(() => reader.close());
    return reader.status;
  };
  const followed = (secret: string) => opened("/api/v1/shared/stream", { "X-Share-Token": secret });
  expect([await followed(one), await followed(one), await followed(other)]).toEqual([200, 429, 200]);
  expect(await opened("/api/v1/events")).toBe(200);
  const read = async (secret: string) =>
    (await api.ask("GET", "/api/v1/shared", undefined, { "X-Share-Token": secret })).status;
  const guesses = [];
  for (let count = 0; count < 13; count++) guesses.push(await read(`guess-${count}`));
  expect(guesses).toEqual([...Array.from({ length: 12 }, () => 404), 429]);
  expect(await read(other)).toBe(200);
});
