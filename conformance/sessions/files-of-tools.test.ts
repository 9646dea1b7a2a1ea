import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type PlatformProcess, startPlatformProcess } from "../supervisor/testing/platform-process.ts";
import { ApiClient, type ApiEvent } from "./testing/api-client.ts";
import { newDatabase, RecordPlatform, STORAGES } from "./testing/record-platform.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const DRAW = "Draw a chart of 3, 5, 8";
const TABLE = "label,value\n1,3\n2,5\n3,8\n";
/** Enough that the image is too large for an event. */
const MANY = Array.from({ length: 900 }, (_, at) => at + 1);

interface FilePart {
  readonly raw?: string;
  readonly blob?: string;
  readonly size?: number;
  readonly filename: string;
  readonly mediaType: string;
}

/** The artifact events of a session. */
const artifactEvents = (events: readonly ApiEvent[]) =>
  events.filter(({ type }) => type === "agent_artifact");
const partsIn = (events: readonly ApiEvent[]): FilePart[] =>
  artifactEvents(events).flatMap(({ payload }) => payload.parts as FilePart[]);
const textOf = ({ raw = "" }: FilePart) => Buffer.from(raw, "base64").toString();

describe("files created by a tool, through a sub-agent and the supervisor", { timeout: 180_000 }, () => {
  let platform: PlatformProcess;
  let api: ApiClient;
  beforeAll(async () => {
    platform = await startPlatformProcess();
    api = new ApiClient(platform.url);
  }, 180_000);
  afterAll(() => platform.stop());

  it("are artifacts of the run, each sent once with its source agent; the answer does not repeat them (S3.1)", async () => {
    const id = await api.create();
    await api.post(id, DRAW);
    const { events, messages } = await api.ended(id, 60_000);
    const [picture, table] = partsIn(events);
    expect(partsIn(events).map(({ filename, mediaType }) => [filename, mediaType])).toEqual([
      ["chart.svg", "image/svg+xml"],
      ["chart.csv", "text/csv"],
    ]);
    expect(artifactEvents(events).map(({ payload }) => [payload.agent, payload.name])).toEqual([
      ["charts", "chart.svg"],
      ["charts", "chart.csv"],
    ]);
    expect(table && textOf(table)).toBe(TABLE);
    expect(picture && textOf(picture)).toMatch(/^<svg [\s\S]+<\/svg>\n$/);
    expect(messages.at(-1)?.content).toBe(
      "Here is a bar chart of 3 values from 3 to 8, as a picture and as a table.",
    );
  });

  it("are forked, exported and imported with the session, even if large (invariants 10, 11)", async () => {
    const id = await api.create();
    await api.post(id, `Draw a chart of ${MANY.join(", ")}`);
    const { events } = await api.ended(id, 60_000);
    const [picture] = partsIn(events);
    const size = picture?.size ?? 0;
    expect([picture?.raw, size > 32_768]).toEqual([undefined, true]);
    const content = await fetch(`${platform.url}/api/v1/files/${picture?.blob}/content`);
    // Active content is never served with its own media type.
    expect(content.headers.get("content-type")).toBe("application/octet-stream");
    expect(content.headers.get("content-disposition")).toContain('attachment; filename="chart.svg"');
    expect(content.headers.get("x-content-type-options")).toBe("nosniff");
    const whole = await content.text();
    expect(Buffer.byteLength(whole)).toBe(size);
    const { session } = await api.call<{ session: { id: string } }>("POST", `/sessions/${id}/fork`, {});
    expect(partsIn((await api.read(session.id)).events)).toEqual(partsIn(events));
    const lines = await (await fetch(`${platform.url}/api/v1/sessions/${id}/export`)).text();
    const elsewhere = await RecordPlatform.start();
    const taken = await elsewhere.api.call<{ session: { id: string } }>("POST", "/sessions/import", {
      content: lines,
    });
    const [own] = partsIn((await elsewhere.api.read(taken.session.id)).events);
    expect(own).toEqual(picture);
    const again = await fetch(`${elsewhere.url}/api/v1/files/${own?.blob}/content`);
    expect(await again.text()).toBe(whole);
  });
});

const CHARTS = readFileSync(resolve(ROOT, "agents/charts.md"), "utf8").replace(
  "mcpServers: [charts]",
  `mcpServers: [{ charts: { command: node, args: [${JSON.stringify(resolve(ROOT, "mcp-servers/charts/main.ts"))}] } }]`,
);

describe.each(STORAGES)("on %s", (storage) => {
  it("after kill −9 at any moment of a run, its files exist once and are complete (invariants 6, 7 and 9)", {
    timeout: 180_000,
  }, async () => {
    const database = await newDatabase(storage);
    const environment = { PARLEY_LEASE: "2", PARLEY_MODEL: "offline:60" };
    const options = { database, environment, agentFiles: { charts: CHARTS } };
    const platform = await RecordPlatform.start({}, options);
    const { api } = platform;
    const sessions: string[] = [];
    for (const milliseconds of [20, 60, 120, 250, 500]) {
      const id = await api.create();
      sessions.push(id);
      await api.post(id, DRAW);
      await sleep(milliseconds);
      await platform.kill();
      await platform.restart();
    }
    for (const id of sessions) {
      const { events } = await api.ended(id, 60_000);
      const ends = events.filter(({ type }) => type === "agent_complete");
      expect(ends.map(({ payload }) => payload.state)).toEqual(["completed"]);
      expect(artifactEvents(events).map(({ payload }) => payload.name)).toEqual(["chart.svg", "chart.csv"]);
      expect(partsIn(events).map(textOf)).toEqual([expect.stringMatching(/<\/svg>\n$/), TABLE]);
    }
  });
});
