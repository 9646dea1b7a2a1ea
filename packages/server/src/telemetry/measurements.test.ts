import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { ApiClient } from "@parley/client";
import { testFolder } from "@parley/testing/test-folder.ts";
import { describe, expect, it, vi } from "vitest";
import { shippedCopy } from "../testing/agent-files.ts";
import { ServerProcess } from "../testing/server-process.ts";

vi.setConfig({ testTimeout: 180_000 });

const DOCS = resolve(import.meta.dirname, "../../../../docs");
const HISTOGRAM_PARTS = /_(bucket|sum|count)$/;
/** What a query holds beside names of measurements. */
const QUERY_WORDS = new Set(["sum", "max", "by", "rate", "histogram_quantile"]);

interface Panel {
  readonly targets?: readonly { readonly expr: string }[];
}

function documented(): Set<string> {
  const text = readFileSync(`${DOCS}/operating.md`, "utf8");
  const [table = ""] = /^\| name \| labels \|[\s\S]*?\n\n/m.exec(text) ?? [];
  return new Set([...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, name = ""]) => name));
}

function charted(): Set<string> {
  const { panels } = JSON.parse(readFileSync(`${DOCS}/grafana/parley.json`, "utf8")) as { panels: Panel[] };
  const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  const names = queries.flatMap(
    (query) =>
      query
        .replace(/\bby \([^)]*\)/g, "")
        .replace(/\[[^[\]]*\]/g, "")
        .match(/[a-z]\w+/g) ?? [],
  );
  return new Set(
    names.filter((name) => !QUERY_WORDS.has(name)).map((name) => name.replace(HISTOGRAM_PARTS, "")),
  );
}

async function shown(url: string): Promise<{ names: Set<string>; text: string }> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return { text, names: new Set([...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name = ""]) => name)) };
}

describe("the metrics of a live node (S2.17, S3.8, S4.30)", () => {
  it("are exactly those in the documentation and the dashboard", async () => {
    const server = new ServerProcess({
      ...{ PARLEY_DATA: await testFolder(), PARLEY_AGENTS: await shippedCopy("calculator") },
      ...{ PARLEY_MODEL: "offline", PARLEY_LOG: "error" },
    });
    await server.agentUrl("calculator");
    const url = await server.url();
    const api = new ApiClient({ baseUrl: url });
    const { session } = await api.createSession({});
    await api.postMessage(session.id, { content: "What is 6 * 7?" });
    const sorted = (names: Iterable<string>) => [...names].sort();
    const live = async () => sorted((await shown(url)).names);
    await expect.poll(live, { timeout: 60_000 }).toEqual(sorted(documented()));
    expect(sorted(charted())).toEqual(sorted(documented()));

    // The third seed's names, and what is to be seen of one run.
    const { text } = await shown(url);
    expect(text).toMatch(/^a2a_stream_chunks_total\{agent="calculator",dialect="1.0"\} [1-9]/m);
    expect(text).toMatch(/^a2a_stream_latency_ms_count\{.*\} [1-9]/m);
    expect(text).not.toMatch(/^a2a_append_violations_total\{.*\} [1-9]/m);
    expect(text).toMatch(/^runs_ended_total\{state="completed"\} 1$/m);
    expect(text).toMatch(/^runs_takeovers_total 0$/m);
    expect(text).toMatch(/^webhooks_outbox\{state="waiting"\} 0$/m);
  });

  it("include the numbers of open streams and followers", async () => {
    const server = new ServerProcess({ PARLEY_DATA: await testFolder(), PARLEY_LOG: "error" });
    const url = await server.url();
    const api = new ApiClient({ baseUrl: url });
    const { session } = await api.createSession({});
    const figure = async (name: string) =>
      Number(new RegExp(`^${name} (\\d+)`, "m").exec((await shown(url)).text)?.[1]);
    expect(await figure("sse_clients")).toBe(0);
    // What the platform follows for itself.
    const own = await figure("journal_followers");
    const stop = new AbortController();
    await fetch(`${url}/api/v1/events?session_ids=${session.id}`, { signal: stop.signal });
    await expect.poll(() => figure("sse_clients")).toBe(1);
    await expect.poll(() => figure("journal_followers")).toBe(own + 1);
    stop.abort();
    await expect.poll(() => figure("sse_clients")).toBe(0);
  });
});
