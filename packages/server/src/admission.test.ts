import { expect, it } from "vitest";
import { readAdmission } from "./admission.ts";

it("authentication is off on loopback and required beyond it, unless configured otherwise (S4.2)", () => {
  expect(readAdmission({})).toEqual({
    ...{ isRequired: false, isInsecure: false, hosts: [], origins: [], publicUrl: undefined },
    ...{ listsAgents: false, trustedProxies: [] },
  });
  for (const host of ["127.0.0.1", "127.0.0.2", "::1", "localhost"])
    expect(readAdmission({ PARLEY_HOST: host }).isRequired).toBe(false);
  expect(readAdmission({ PARLEY_AUTH: "on" })).toMatchObject({ isRequired: true, hosts: [] });
  for (const host of ["0.0.0.0", "::", "192.0.2.1"])
    expect(readAdmission({ PARLEY_HOST: host })).toMatchObject({ isRequired: true, hosts: ["*"] });
  const insecure = { PARLEY_HOST: "0.0.0.0", PARLEY_AUTH: "insecure" };
  expect(readAdmission(insecure)).toMatchObject({ isRequired: false, isInsecure: true });
  expect(() => readAdmission({ PARLEY_HOST: "0.0.0.0", PARLEY_AUTH: "off" })).toThrow("--insecure");
});

it("an invalid admission setting is reported with the reason", () => {
  expect(() => readAdmission({ PARLEY_HOST: "example.com" })).toThrow("PARLEY_HOST must be an IP address");
  expect(() => readAdmission({ PARLEY_AUTH: "maybe" })).toThrow('PARLEY_AUTH must be on or off, not "maybe"');
  expect(() => readAdmission({ PARLEY_CARD_AGENTS: "yes" })).toThrow("PARLEY_CARD_AGENTS must be on or off");
  for (const name of ["parley.example:80", "https://parley.example", "*", "a/b", "a@b"])
    expect(() => readAdmission({ PARLEY_HOSTS: name }), name).toThrow("PARLEY_HOSTS must list names");
  for (const origin of ["*", "app.example", "https://app.example/", "null", "file://x"])
    expect(() => readAdmission({ PARLEY_ORIGINS: origin }), origin).toThrow(
      "PARLEY_ORIGINS must list origins",
    );
  expect(() => readAdmission({ PARLEY_TRUSTED_PROXIES: "10.0.0.1/8" })).toThrow("PARLEY_TRUSTED_PROXIES");
  for (const url of [
    "parley.example",
    "https://parley.example/a?b",
    "https://parley.example/s",
    "ftp://parley.example",
  ])
    expect(() => readAdmission({ PARLEY_PUBLIC_URL: url }), url).toThrow(
      "PARLEY_PUBLIC_URL must be an origin",
    );
});

it("host names and origins are normalised as they are compared", () => {
  const read = readAdmission({
    PARLEY_HOSTS: "Parley.Example, bücher.example",
    PARLEY_ORIGINS: "https://app.example,http://localhost:3000",
    PARLEY_PUBLIC_URL: "https://parley.example/",
  });
  expect(read.hosts).toEqual(["parley.example", "xn--bcher-kva.example", "parley.example"]);
  expect(readAdmission({ PARLEY_PUBLIC_URL: "https://example.com/our/parley/" }).publicUrl).toBe(
    "https://example.com/our/parley",
  );
  expect(read.origins).toEqual(["https://app.example", "http://localhost:3000"]);
  expect(read.publicUrl).toBe("https://parley.example");
});
