import { expect, it, vi } from "vitest";
import { withOwnKey } from "./doctor-arguments.ts";

it("withOwnKey sends our API key only to the server that it belongs to", () => {
  const asked = (url: string, headers = new Map<string, string>()) => withOwnKey(new URL(url), headers);
  vi.stubEnv("PARLEY_URL", "https://parley.example");
  vi.stubEnv("PARLEY_KEY", "");
  expect(asked("https://parley.example/").size).toBe(0);
  vi.stubEnv("PARLEY_KEY", "parley_key");
  expect(asked("https://parley.example/a2a").get("authorization")).toBe("Bearer parley_key");
  for (const url of [
    "http://parley.example",
    "https://parley.example:8443",
    "https://evil.example",
    "http://localhost:8001",
  ])
    expect(asked(url).size, url).toBe(0);
  const own = new Map([["authorization", "Bearer other"]]);
  expect(asked("https://parley.example/", own)).toEqual(own);
});
