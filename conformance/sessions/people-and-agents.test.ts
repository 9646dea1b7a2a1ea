import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { approvalRequest, memberPart } from "@parley/a2a";
import { describe, expect, it } from "vitest";
import {
  startAskingPeer,
  startEndlessPeer,
  startScriptedPeer,
  startSlowPeer,
  startTaskPeer,
} from "../peers/index.ts";
import { during } from "../peers/testing/peer-client.ts";
import type { ApiAgent } from "./testing/api-client.ts";
import { RecordPlatform } from "./testing/record-platform.ts";

const HARBOUR = "ask tides: when is high water in the harbour?";
const skill = { id: "tides", name: "Tides", description: "Tells the tides at a harbour", tags: ["tides"] };
const about = { name: "tides", description: "Knows the tides", skills: [skill] };
const longTimeout = { timeout: 180_000 };

interface Approval {
  readonly id: string;
  readonly sessionId: string;
  readonly question: string;
  readonly agent?: string;
}

const openApprovals = async ({ api }: RecordPlatform) =>
  (await api.call<{ approvals: Approval[] }>("GET", "/approvals?open=true")).approvals;

describe("a question from an agent", () => {
  it.each([
    ["that runs by itself", "tides"],
    ["that the supervisor delegates to", undefined],
  ])(
    "%s is in the inbox and can be answered through the API after a kill and a restart (+7, S4.33)",
    longTimeout,
    async (_, agent) => {
      const platform = await RecordPlatform.start({ tides: await during(startAskingPeer(about)) });
      const { api } = platform;
      const id = await api.create();
      await api.post(id, HARBOUR, agent);
      await expect.poll(() => openApprovals(platform), { timeout: 60_000 }).toHaveLength(1);
      await platform.kill();
      await platform.restart();
      const [asked] = await openApprovals(platform);
      expect(asked).toMatchObject({ sessionId: id, question: "Which one?" });
      const answer = { decision: "answered", text: "The northern one" };
      await api.call("POST", `/sessions/${id}/approvals/${asked?.id}`, answer);
      const { messages } = await api.ended(id);
      expect(messages.at(-1)?.content).toBe("You said: The northern one");
      expect(await openApprovals(platform)).toEqual([]);
    },
  );
});

it(
  "a tool that one agent had allowed always is asked about when another agent wants it, until that is allowed too (+7)",
  longTimeout,
  async () => {
    const wanting = (name: string) =>
      startTaskPeer(
        async (task) => {
          const request = { id: "1", tool: "sync", arguments: {}, argumentsHash: "h" };
          await task.ask("May I?", [memberPart(approvalRequest, request)]);
          await task.text({ artifactId: "result" }, ["Synced"]);
          task.status("COMPLETED");
        },
        name === "tides" ? about : { name },
      );
    const peers = { evil: await during(wanting("evil")), tides: await during(wanting("tides")) };
    const platform = await RecordPlatform.start(peers);
    const { api } = platform;
    const id = await api.create();
    const allowed = async (agent: string) => {
      await expect.poll(() => openApprovals(platform), { timeout: 60_000 }).toMatchObject([{ agent }]);
      const [asked] = await openApprovals(platform);
      const answer = { decision: "approved", always: true };
      await api.call("POST", `/sessions/${id}/approvals/${asked?.id}`, answer);
      await api.ended(id);
    };
    await api.post(id, "Hello", "evil");
    await allowed("evil");
    await api.post(id, HARBOUR);
    await allowed("tides");
    for (const agent of [undefined, "tides", "evil"]) {
      await api.post(id, HARBOUR, agent);
      expect((await api.ended(id)).messages.at(-1)?.content).toBe("Synced");
    }
  },
);

it.each([
  ["the agent's", "tides"],
  ["the sub-agent's", undefined],
])(
  "cancelling a run through the API reaches %s task (S4.23, invariant 12)",
  longTimeout,
  async (_, agent) => {
    const tides = await during(startEndlessPeer(about));
    const platform = await RecordPlatform.start({ tides });
    const { api } = platform;
    const id = await api.create();
    const { run } = await api.post(id, HARBOUR, agent);
    await api.until(id, ({ events }) => events.some(({ payload }) => payload.text === "Working"));
    await api.call("POST", `/sessions/${id}/runs/${run.id}/cancel`, {});
    await expect.poll(() => tides.canceled, { timeout: 60_000 }).toHaveLength(1);
    const { events, messages } = await api.ended(id);
    expect(events.filter(({ type }) => /^agent_(complete|cancelled)$/.test(type))).toHaveLength(1);
    expect(messages.at(-1)).toMatchObject({ role: "assistant", content: "Working" });
  },
);

it(
  "the agent can be switched mid-session, and each message names its agent (S4.26)",
  longTimeout,
  async () => {
    const before = await during(startSlowPeer({ name: "before", tokens: ["before"] }));
    const after = await during(startSlowPeer({ name: "after", tokens: ["after"] }));
    const platform = await RecordPlatform.start({ before, after });
    const { api } = platform;
    const id = await api.create({ agent: "before" });
    await api.post(id, "One");
    await api.ended(id);
    await api.call("PATCH", `/sessions/${id}`, { agent: "after" });
    await api.post(id, "Two");
    const { messages } = await api.ended(id);
    expect(messages.map(({ content, metadata }) => [content, metadata.agent])).toEqual([
      ["One", undefined],
      ["before", "before"],
      ["Two", undefined],
      ["after", "after"],
    ]);
    // The new agent gets the earlier messages.
    const [request] = after.requests.filter(({ text }) => text !== "");
    expect(request?.text).toContain("One");
    expect(request?.text).toContain("before");
  },
);

describe("an agent added through the API", () => {
  const SECRET = "hush-4711-hush";

  it(
    "receives delegations from the supervisor while enabled, and none while disabled (S4.25)",
    longTimeout,
    async () => {
      const tides = await during(startSlowPeer({ ...about, tokens: ["High ", "water"] }));
      const platform = await RecordPlatform.start();
      const { api } = platform;
      const requestCount = () => tides.requests.filter(({ text }) => text !== "").length;
      const ask = async () => {
        const id = await api.create();
        await api.post(id, HARBOUR);
        return (await api.ended(id)).messages.at(-1)?.content;
      };
      await ask();
      expect(requestCount()).toBe(0);
      const { agent } = await api.call<{ agent: ApiAgent }>("POST", "/agents", {
        name: "tides",
        url: tides.url,
      });
      expect(agent).toMatchObject({ name: "tides", state: "up", enabled: true });
      expect(await ask()).toBe("High water");
      await api.call("PATCH", "/agents/tides", { enabled: false });
      expect(await ask()).not.toBe("High water");
      expect(requestCount()).toBe(1);
      // The disabled state survives a restart.
      await platform.kill();
      await platform.restart();
      expect((await api.agents()).map(({ name, enabled }) => [name, enabled])).toEqual([["tides", false]]);
      await api.call("PATCH", "/agents/tides", { enabled: true });
      expect(await ask()).toBe("High water");
      await api.call("DELETE", "/agents/tides");
      expect(await api.agents()).toEqual([]);
      expect(await ask()).not.toBe("High water");
      expect(requestCount()).toBe(2);
    },
  );

  it("does not expose its credentials in any response, log or file (S4.25, S4.33)", longTimeout, async () => {
    const tides = await during(
      startScriptedPeer({
        ...about,
        card: (own) => ({
          ...own,
          securitySchemes: { token: { httpAuthSecurityScheme: { scheme: "bearer" } } },
        }),
        *steps(say) {
          yield say.task("WORKING");
          yield say.piece("High water");
          yield say.status("COMPLETED");
        },
      }),
    );
    const platform = await RecordPlatform.start();
    const { api } = platform;
    const credentials = { token: { kind: "bearer", token: SECRET } };
    const answers: unknown[] = [];
    answers.push(await api.call("POST", "/agents", { name: "tides", url: tides.url, credentials }));
    answers.push(
      await api.call("PATCH", "/agents/tides", {
        credentials: { token: { kind: "bearer", token: `${SECRET}!` } },
      }),
    );
    const id = await api.create({ agent: "tides" });
    await api.post(id, "Hello");
    expect((await api.ended(id)).messages.at(-1)?.content).toBe("High water");
    expect(tides.requests.at(-1)?.headers.authorization).toBe(`Bearer ${SECRET}!`);
    answers.push(await api.read(id), await api.runs(id), await api.agents());
    answers.push(await api.call("POST", "/agents/tides/recheck", {}));
    expect(await api.agents()).toMatchObject([{ name: "tides", hasCredentials: true }]);
    // Nor in the response to invalid input.
    const refused = await fetch(`${platform.url}/api/v1/agents`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name: "tides", url: "no address", credentials }),
    });
    expect(refused.status).toBe(422);
    answers.push(await refused.text());
    await platform.kill();
    await platform.restart();
    answers.push(await api.agents());
    expect(JSON.stringify(answers)).not.toContain(SECRET);
    expect(platform.output).not.toContain(SECRET);
    const files = await readdir(platform.dataFolder, { recursive: true, withFileTypes: true });
    for (const file of files.filter((each) => each.isFile()))
      expect((await readFile(join(file.parentPath, file.name))).includes(SECRET), file.name).toBe(false);
  });
});
