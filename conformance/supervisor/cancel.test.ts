import { expect, it } from "vitest";
import { startCaipePeer, startEndlessPeer, startLegacySdkPeer } from "../peers/index.ts";
import { during } from "../peers/testing/peer-client.ts";
import { Scene } from "./testing/scene.ts";
import type { SeenAnswer } from "./testing/seen-answer.ts";

const MANY = Array.from({ length: 10_000 }, () => "x");

/** Cancels the task once each of these agents has said something. */
function cancelOnce(scene: Scene, agents: readonly string[]) {
  let canceled: Promise<unknown> | undefined;
  return {
    each(answer: SeenAnswer) {
      if (!canceled && agents.every((agent) => answer.from(agent) !== ""))
        canceled = scene.client.cancel({ id: answer.taskId });
    },
    answered: () => canceled,
  };
}

it("cancel reaches agents of every dialect, each acknowledgement is recorded, and nothing follows the end (+2)", async () => {
  const peers = {
    first: await during(startEndlessPeer({ dialect: "0.1" })),
    legacy: await during(startLegacySdkPeer({ tokens: MANY, pause: 20 })),
    modern: await during(startEndlessPeer({ dialect: "1.0" })),
  };
  const agents = Object.keys(peers);
  const scene = await Scene.start({ peers, turns: [{ plan: agents.map((agent) => ({ agent })) }] });
  const cancel = cancelOnce(scene, agents);
  const answer = await scene.ask("go", cancel);
  expect(await cancel.answered()).toMatchObject({ status: { state: "TASK_STATE_CANCELED" } });
  expect([answer.state, answer.phases.at(-1)]).toEqual(["canceled", "canceled"]);

  for (const peer of Object.values(peers)) await expect.poll(() => peer.canceled).toHaveLength(1);
  const noted = async () =>
    (await scene.delegations(answer.taskId)).flatMap(({ id, canceled }) =>
      canceled ? [{ id, ...canceled }] : [],
    );
  await expect.poll(noted).toHaveLength(3);
  expect((await noted()).sort((one, other) => one.id.localeCompare(other.id))).toMatchObject(
    ["1", "2", "3"].map((step) => ({
      id: `call_1.${step}`,
      acknowledged: true,
      detail: "TASK_STATE_CANCELED",
    })),
  );
  expect(scene.violations().supervisor).toEqual([]);
  expect(scene.checker.report().streams[0]?.states.at(-1)).toBe("canceled");
});

it("an agent that never acknowledges is recorded as such after the deadline, beside one that does (+2)", async () => {
  const peers = {
    deaf: await during(startEndlessPeer({ acknowledgesCancel: false })),
    caipe: await during(startCaipePeer({ tokens: MANY, pause: 5 })),
  };
  const agents = Object.keys(peers);
  const turns = [{ plan: agents.map((agent) => ({ agent })) }];
  const scene = await Scene.start({ peers, turns, delegation: { cancelMs: 1_500 } });
  const answer = await scene.ask("go", cancelOnce(scene, agents));
  expect(answer.state).toBe("canceled");
  const noted = async () => {
    const changes = await scene.delegations(answer.taskId);
    return Object.fromEntries(changes.flatMap(({ id, canceled }) => (canceled ? [[id, canceled]] : [])));
  };
  await expect.poll(async () => Object.keys(await noted()), { timeout: 60_000 }).toHaveLength(2);
  const { "call_1.1": deaf, "call_1.2": caipe } = await noted();
  expect(caipe).toMatchObject({ acknowledged: true });
  expect(deaf).toMatchObject({ acknowledged: false, detail: expect.stringMatching(/time|deadline/i) });
  expect(deaf?.ms).toBeGreaterThanOrEqual(1_490);
  expect(peers.deaf.canceled).toHaveLength(1);
  expect(scene.violations().supervisor).toEqual([]);
});
