import { expect, it } from "vitest";
import { LineBudget } from "./mcp-server.ts";
import { redactorFor } from "./redactor.ts";

it("redactorFor masks headers, secret variables and text that looks like a secret, and keeps the rest", () => {
  const redact = redactorFor({
    env: { API_KEY: "s3cr3t-value", REGION: "europe-west" },
    headers: { authorization: "Bearer hunter22222" },
  });
  expect(redact("key s3cr3t-value in europe-west")).toBe("key [redacted] in europe-west");
  expect(redact("sent hunter22222")).toBe("sent [redacted]");
  expect(redact("password=letmein1 user=bob")).toBe("password=[redacted] user=bob");
  expect(redact("clone https://bob:pw@host/x")).toBe("clone https://[redacted]@host/x");
  expect(redact("ghp_0123456789abcdef eyJhbGciOi.eyJzdWIi.sig")).toBe("[redacted] [redacted]");
});

it("LineBudget limits the lines per period, and counts the dropped ones", () => {
  const budget = new LineBudget(2, 1_000);
  expect(["a", "b", "c", "d"].map((line) => budget.show(line, 0))).toEqual(["a", "b", undefined, undefined]);
  expect(budget.show("e", 1_000)).toBe("[2 lines were left out] e");
});
