import { describe, expect, it } from "vitest";
import { SigningSecretError, signingSecret, WebhookSigner, webhookId } from "./webhook-signature.ts";

describe("a webhook signature", () => {
  // The example that the libraries of Standard Webhooks check themselves with.
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const id = "msg_p5jXN8AQM9LWM0D4loKWxJek";
  const body = '{"test": 2432232314}';
  const signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

  it("matches the example of Standard Webhooks", () => {
    expect(new WebhookSigner([secret]).headers(id, body, 1_614_265_330_999)).toEqual({
      "webhook-id": id,
      "webhook-timestamp": "1614265330",
      "webhook-signature": signature,
    });
  });

  it("is created with every secret, and omitted without any", () => {
    const newer = signingSecret(Buffer.alloc(32, 7));
    const { "webhook-signature": both = "" } = new WebhookSigner([newer, secret]).headers(
      id,
      body,
      1_614_265_330_000,
    );
    expect(both.split(" ")).toEqual([expect.stringMatching(/^v1,/), signature]);
    expect(new WebhookSigner([]).headers(id, body)).not.toHaveProperty("webhook-signature");
  });

  it.each(["MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_c2hvcnQ=", `whsec_${"A".repeat(100)}`])(
    "refuses the secret %s without quoting it",
    (bad) => {
      const make = () => new WebhookSigner([bad]);
      expect(make).toThrow(SigningSecretError);
      expect(make).not.toThrow(bad.replace("whsec_", ""));
    },
  );

  it("has one id for all attempts of a notification", () => {
    const name = { taskId: "t", configId: "c", index: 2 };
    expect(webhookId({ ...name })).toBe(webhookId(name));
    const others = [
      { ...name, index: 3 },
      { ...name, configId: "t" },
      { ...name, taskId: "c" },
    ];
    expect(new Set([name, ...others].map(webhookId)).size).toBe(4);
  });
});
