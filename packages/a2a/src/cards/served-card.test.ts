import { describe, expect, it } from "vitest";
import { agentCardJson } from "./published-cards.ts";
import { isUnchanged, servedCard } from "./served-card.ts";
import { exampleAgent } from "./testing/example-agent.ts";

const served = servedCard(agentCardJson(exampleAgent));

describe("a served card (S1.2)", () => {
  it("has a strong ETag and may be cached", () => {
    expect(JSON.parse(new TextDecoder().decode(served.body))).toEqual(agentCardJson(exampleAgent));
    expect(served.etag).toMatch(/^"[\w-]{43}"$/);
    expect(served.headers).toEqual({
      "content-type": "application/json",
      "content-length": String(served.body.byteLength),
      "cache-control": "public, max-age=300",
      etag: served.etag,
    });
  });

  it("has the same ETag for the same bytes, and another for others", () => {
    expect(servedCard(agentCardJson(exampleAgent)).etag).toBe(served.etag);
    expect(servedCard(agentCardJson({ ...exampleAgent, version: "2" })).etag).not.toBe(served.etag);
  });

  it("is answered with 304 to a caller that has its ETag", () => {
    for (const header of [served.etag, `W/${served.etag}`, `"a", ${served.etag}`, "*", " * "]) {
      expect(isUnchanged(header, served.etag), header).toBe(true);
    }
    for (const header of [undefined, null, "", '"a"', served.etag.slice(1, -1)]) {
      expect(isUnchanged(header, served.etag), String(header)).toBe(false);
    }
  });
});
