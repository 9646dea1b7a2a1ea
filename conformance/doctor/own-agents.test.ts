import { setTimeout as sleep } from "node:timers/promises";
import type { Executor } from "@parley/a2a";
import { describe, expect, it } from "vitest";
import { startConformanceAgent } from "../conformance-agent.ts";
import { argocdAgent } from "../fixtures/testing/argocd-agent.ts";
import { during } from "../peers/testing/peer-client.ts";
import { examined } from "./testing/examined.ts";

/** Slow enough for events to happen in between. */
const unhurried: Executor = {
  async execute({ artifact, signal }) {
    const result = artifact({ name: "result" });
    for (let place = 0; place < 25 && !signal.aborted; place++) {
      await result.text(`${place} `);
      await sleep(10, undefined, { signal });
    }
    await result.close();
    return undefined;
  },
};

describe("the doctor on our own agents", () => {
  it("finds no violation over any binding and in any dialect, with slow answers (+8)", {
    timeout: 180_000,
  }, async () => {
    const agent = await during(
      startConformanceAgent({ port: 0, grpcPort: 0, coalesce: false, executor: unhurried }),
    );
    const { code, checks, ids, requests } = await examined(agent.url, "--strict", "--allow", agent.url);
    expect([ids("fail"), ids("warn"), code]).toEqual([[], [], 0]);
    // The agent declares streaming and push, and thirty chunks show nothing about the growth of cost.
    expect(ids("not-applicable")).toEqual(["error-stream-unclaimed", "error-push-unclaimed", "steady-pace"]);
    const ways = checks.find(({ id }) => id === "interface-answers")?.verdicts.map(({ way }) => way);
    const newer = ["1.0 JSON-RPC", "1.0 REST", "1.0 gRPC", "0.3 JSON-RPC", "0.3 REST", "0.3 gRPC"];
    expect(ways).toEqual([...newer, "0.1 JSON-RPC"]);
    // Every check that is not about JSON or HTTP itself runs over every binding.
    const everywhere = [
      "send",
      "send-waits",
      "send-immediate",
      "stream",
      "stream-begin",
      "stream-end",
      "get",
    ];
    const whileAtWork = ["cancel", "cancel-keeps", "subscribe", "second-message", "push-configs"];
    const refused = ["error-unknown-task", "error-params", "error-cancel-ended", "error-send-unknown"];
    for (const id of [...everywhere, ...whileAtWork, ...refused]) {
      const verdicts = checks.find((check) => check.id === id)?.verdicts ?? [];
      expect([id, verdicts.flatMap(({ way = "" }) => (way.startsWith("0.1") ? [] : way))]).toEqual([
        id,
        newer,
      ]);
    }
    expect(requests).toBeLessThan(450);
  });

  it("finds no violation in an agent hosted from its file, with tools and the offline model (+8)", {
    timeout: 180_000,
  }, async () => {
    const url = await argocdAgent("artifact");
    const { code, ids } = await examined(url, "--message", "What version of Argo CD is running?");
    // Its card is unsigned, which is only informational.
    expect([ids("fail"), ids("warn"), code]).toEqual([[], ["card-signed"], 0]);
  });

  it("names the media types that an agent sends but its card does not declare (+8)", {
    timeout: 90_000,
  }, async () => {
    const executor: Executor = {
      async execute({ artifact }) {
        await artifact({ name: "picture" }).close([{ raw: "eA==", mediaType: "image/png" }]);
        return undefined;
      },
    };
    const agent = await during(startConformanceAgent({ port: 0, executor }));
    const { ids, found } = await examined(agent.url, "--only", "artifact-output-modes");
    expect(ids("warn")).toEqual(["artifact-output-modes"]);
    expect(found("artifact-output-modes")).toContain(
      "Sends image/png, but lists text/plain, application/json",
    );
  });
});
