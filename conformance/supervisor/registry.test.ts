import { expect, it } from "vitest";
import { type Peer, startFaultyPeer, startSlowPeer } from "../peers/index.ts";
import { during } from "../peers/testing/peer-client.ts";
import { Scene } from "./testing/scene.ts";

const NOBODY = "http://127.0.0.1:1";

it("an agent that starts late is known to the next turn, and one that stopped is reported as down (S4.25, S4.27)", async () => {
  let peer: Peer | undefined;
  const peers = { late: { url: () => peer?.url ?? NOBODY } };
  const scene = await Scene.start({
    peers,
    turns: [{ plan: [{ agent: "late" }] }, { text: "Nobody is there." }],
  });
  const before = await scene.ask("go");
  expect([before.text("partial_result"), scene.model.offered[0]]).toEqual(["Nobody is there.", {}]);

  peer = await during(startSlowPeer({ tokens: ["Here ", "I am"], pause: 1 }));
  await expect.poll(() => scene.registry.agent("late")?.state).toBe("up");
  const after = await scene.ask("go");
  expect(after.text("partial_result")).toBe("Here I am");

  await peer.stop();
  peer = undefined;
  await expect.poll(() => scene.registry.agent("late")?.state).toBe("down");
  const gone = await scene.ask("go");
  expect(gone.ended("late")).toMatchObject({ outcome: "failed", text: expect.stringContaining("late") });
  expect(gone.text("partial_result")).toBe("Nobody is there.");
  expect(scene.violations().supervisor).toEqual([]);
});

it("the next turn sees an agent's changed card with its skills (S4.25)", async () => {
  const peer = await during(startFaultyPeer("changing card"));
  const scene = await Scene.start({ peers: { agent: peer }, turns: [{ text: "Hello." }] });
  const offered = async () => {
    await scene.ask("hi");
    return scene.model.offered.at(-1)?.agent;
  };
  const first = await offered();
  expect(first).toMatch(/^Reading \d+\n- Skill \d+: Changes$/);
  await expect.poll(offered).not.toBe(first);
});
