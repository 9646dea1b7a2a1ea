import { WebhookReceiver } from "@parley/testing/webhook-receiver.ts";
import { expect, it } from "vitest";
import { startScriptedPeer } from "../peers/index.ts";
import { call, during } from "../peers/testing/peer-client.ts";
import { newDatabase, RecordPlatform } from "../sessions/testing/record-platform.ts";
import { startPair } from "./testing/pair.ts";

const TOKEN = "a-token-of-the-agent";
const SECRET = { PARLEY_SECRET: "what all nodes know" };

/** An agent whose card says that it wants a token. */
function startKeyedPeer() {
  return startScriptedPeer({
    name: "keyed",
    card: (own) => ({
      ...own,
      securitySchemes: { token: { httpAuthSecurityScheme: { scheme: "bearer" } } },
    }),
    *steps(say) {
      yield say.task("WORKING");
      yield say.piece("You are let in");
      yield say.status("COMPLETED");
    },
  });
}

it("a node with its own data folder decrypts secrets sealed by another: an agent's credentials at once, and a webhook's token after the other node is killed (+12, invariant 14)", {
  timeout: 300_000,
}, async () => {
  const environment = { ...SECRET, PARLEY_LEASE: "2", PARLEY_EGRESS_ALLOW: "127.0.0.0/8" };
  const { first, second, pace } = await startPair({ environment });
  expect(first.dataFolder).not.toBe(second.dataFolder);
  const keyed = await during(startKeyedPeer());
  const credentials = { token: { kind: "bearer", token: TOKEN } };
  await first.api.call("POST", "/agents", { url: keyed.url, name: "keyed", credentials });
  const found = async () => (await second.api.agents()).find(({ name }) => name === "keyed");
  await expect.poll(found).toMatchObject({ state: "up", hasCredentials: true });
  const id = await second.api.create({ agent: "keyed" });
  await second.api.post(id, "Let me in");
  expect((await second.api.ended(id)).messages.at(-1)?.content).toBe("You are let in");
  expect(keyed.requests.at(-1)?.headers.authorization).toBe(`Bearer ${TOKEN}`);

  const receiver = await WebhookReceiver.start();
  const asked = await call(first.url, "message/send", {
    message: {
      kind: "message",
      messageId: "m1",
      role: "user",
      parts: [{ kind: "text", text: "ask tides: well?" }],
    },
    configuration: { blocking: false, pushNotificationConfig: { url: receiver.url(), token: "tok" } },
  });
  expect(JSON.stringify(await asked.json())).toContain('"kind":"task"');
  await receiver.until(() => receiver.taken.length > 0);
  await first.kill();
  pace.hurry();
  const ended = () => receiver.taken.some(({ text }) => /completed/i.test(text));
  await receiver.until(ended);
  expect(new Set(receiver.taken.map(({ headers }) => headers["x-a2a-notification-token"]))).toEqual(
    new Set(["tok"]),
  );
  // One signature for the receiver to know them by, whichever node it was.
  expect(receiver.taken.every(({ headers }) => headers["webhook-signature"])).toBe(true);
});

it("a node with a different or missing secret reports it and does not start", {
  timeout: 300_000,
}, async () => {
  const database = await newDatabase("Postgres");
  const first = await RecordPlatform.start({}, { database, environment: SECRET });
  for (const [secret, sentence] of [
    ["", "start this node with the PARLEY_SECRET of the others"],
    ["guessed", "use the secret of the other nodes"],
  ] as const) {
    const environment = { PARLEY_SECRET: secret };
    await expect(RecordPlatform.start({}, { database, environment })).rejects.toThrow(sentence);
  }
  expect(first.output).not.toContain(SECRET.PARLEY_SECRET);
});
