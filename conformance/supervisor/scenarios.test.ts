import { memberIn, provenance } from "@parley/a2a";
import { expect, it } from "vitest";
import { type ArtifactReport, overlap } from "../checker/index.ts";
import { startFilePeer, startLegacySdkPeer, startSlowPeer } from "../peers/index.ts";
import { during } from "../peers/testing/peer-client.ts";
import { Scene } from "./testing/scene.ts";

const NONE = { supervisor: [], agents: [] };

it("use Jarvis agent and get llm keys: the answer streams, and the data at its end is an artifact of its own (S3.1, S3.6)", async () => {
  const jarvis = await during(startLegacySdkPeer({ tokens: ["Two", " keys", "."], data: { keys: 2 } }));
  const scene = await Scene.start({ peers: { jarvis }, turns: [{ plan: [{ agent: "jarvis" }] }] });
  const answer = await scene.ask("use Jarvis agent and get llm keys");
  expect(answer.text("streaming_result")).toBe("Two keys.");
  expect(answer.named("complete_result").flatMap(({ parts }) => parts)).toContainEqual({ data: { keys: 2 } });
  expect(answer.phases.indexOf("streaming_result")).toBeLessThan(answer.phases.indexOf("complete_result"));
  expect(scene.violations()).toEqual(NONE);
});

it("the same in parallel with another branch: created, appended to, and ended with data, under its own id (S3.1, S3.4, S3.6)", async () => {
  const peers = {
    jarvis: await during(startLegacySdkPeer({ tokens: ["Two", " keys", "."], data: { keys: 2 } })),
    desk: await during(startFilePeer()),
  };
  const scene = await Scene.start({ peers, turns: [{ plan: [{ agent: "jarvis" }, { agent: "desk" }] }] });
  const answer = await scene.ask("use Jarvis agent and get llm keys, and the mugs");
  expect(answer.artifactOf("jarvis")).toMatchObject({
    artifactId: "complete_result",
    name: "complete_result",
  });
  expect(answer.from("jarvis")).toBe("Two keys.");
  expect(answer.artifactOf("jarvis")?.parts).toContainEqual({ data: { keys: 2 } });
  const raw = Buffer.from("blue,3\n").toString("base64");
  expect(answer.artifactOf("desk")).toMatchObject({
    artifactId: "file",
    parts: [{ raw, filename: "mugs.csv", mediaType: "text/csv" }],
  });
  expect(scene.violations()).toEqual(NONE);
});

it("check github and jira simultaneously: both run concurrently, four artifacts are created, none is appended to before its creation, each has its source agent (S3.2, S3.4, S3.7, S3.8, +9)", async () => {
  const tokens = (word: string) => Array.from({ length: 15 }, (_, place) => `${word} ${place} `);
  const peers = {
    github: await during(startSlowPeer({ tokens: tokens("commit"), pause: 20 })),
    jira: await during(startSlowPeer({ tokens: tokens("ticket"), pause: 20 })),
  };
  const turns = [{ plan: [{ agent: "github" }, { agent: "jira" }] }, { text: "Both are fine." }];
  const scene = await Scene.start({ peers, turns });
  const answer = await scene.ask("check github and jira simultaneously");

  expect(answer.named("tool_notification_start")).toHaveLength(2);
  expect(answer.from("github")).toBe(tokens("commit").join(""));
  expect(answer.from("jira")).toBe(tokens("ticket").join(""));
  // Both agents call theirs `result`: the one who came second has the call's id before it.
  const ids = ["github", "jira"].map((agent) => answer.artifactOf(agent)?.artifactId ?? "");
  expect(ids.toSorted((one, other) => other.length - one.length)).toEqual([
    expect.stringMatching(/^call_1\.[12]-result$/),
    "result",
  ]);

  const origins = ["github", "jira"].map(
    (agent) => memberIn(answer.artifactOf(agent)?.metadata, provenance).value,
  );
  for (const [place, agent] of ["github", "jira"].entries()) {
    const taskId = scene.checkers.get(agent)?.report().streams[0]?.taskId;
    const origin = { agent, callId: `call_1.${place + 1}`, taskId, artifactId: "result", depth: 1 };
    expect(origins[place]).toEqual(origin);
  }

  const seen = (checker: Scene["checker"], id: string): ArtifactReport => {
    const found = checker.report().streams[0]?.artifacts.find(({ artifactId }) => artifactId === id);
    if (!found) throw new Error(`${id} was not seen`);
    return found;
  };
  const [github = "", jira = ""] = ids;
  expect(overlap(seen(scene.checker, github), seen(scene.checker, jira))).toBe(true);
  const [one, other] = [...scene.checkers.values()].map((checker) => seen(checker, "result"));
  expect(one && other && overlap(one, other)).toBe(true);
  expect(scene.violations()).toEqual(NONE);
});
