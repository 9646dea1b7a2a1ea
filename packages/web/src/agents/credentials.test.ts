import { expect, it } from "vitest";
import { credentialsFrom } from "./credentials.ts";

it("credentials are built for each scheme, and omitted if nothing was entered", () => {
  const schemes = [
    { name: "key", kind: "apiKey" },
    { name: "login", kind: "basic" },
    { name: "token", kind: "bearer" },
    { name: "mtls", kind: "other" },
  ] as const;
  const entered = { key: { first: "k" }, login: { first: "ann", second: "p" }, mtls: { first: "x" } };
  expect(credentialsFrom(schemes, entered)).toEqual({
    key: { kind: "apiKey", value: "k" },
    login: { kind: "basic", username: "ann", password: "p" },
  });
  expect(credentialsFrom(schemes, { token: { first: "" } })).toBeUndefined();
});
