import { expect, it } from "vitest";
import { oidcSettings } from "./oidc-settings.ts";

it("oidcSettings refuses the login client's id as the audience, because ID tokens have it", () => {
  const oidc = { PARLEY_OIDC_ISSUER: "https://login.example", PARLEY_OIDC_CLIENT_ID: "parley" };
  const start = (PARLEY_OIDC_AUDIENCE: string) => oidcSettings({ ...oidc, PARLEY_OIDC_AUDIENCE });
  expect(() => start("parley")).toThrow("PARLEY_OIDC_AUDIENCE must not be PARLEY_OIDC_CLIENT_ID");
  expect(start("https://parley.example/mcp")?.audience).toBe("https://parley.example/mcp");
  expect(start("")?.audience).toBeUndefined();
});

it("oidcSettings accepts operators as email addresses and subjects, and refuses anything else", () => {
  const oidc = { PARLEY_OIDC_ISSUER: "https://login.example", PARLEY_OIDC_CLIENT_ID: "parley" };
  const listed = (text: string) => oidcSettings({ ...oidc, PARLEY_OPERATORS: text })?.operators;
  expect(listed(" ann@example.com , sub:auth0|1 ,")).toEqual(["ann@example.com", "sub:auth0|1"]);
  for (const wrong of ["ann", "sub:", "@", "a b@c", "https://x@y"])
    expect(() => listed(wrong), wrong).toThrow("PARLEY_OPERATORS must list email addresses");
  expect(() => oidcSettings({ PARLEY_OPERATORS: "ann@example.com" })).toThrow("requires PARLEY_OIDC_ISSUER");
});
