import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { refusedRange } from "./address-rules.ts";
import { EgressRefusedError, EgressTimeoutError, HostNotFoundError } from "./egress-errors.ts";
import type { EgressPolicy } from "./egress-policy.ts";
import { checkTarget } from "./egress-target.ts";
import { parseCidrList } from "./ip-address.ts";
import { v4Address, v4Spellings, v6Address, v6Spellings } from "./testing/address-spellings.ts";

function resolving(...addresses: string[]): EgressPolicy {
  return { lookup: async () => addresses };
}

async function refusal(url: string, policy: EgressPolicy = {}): Promise<EgressRefusedError | undefined> {
  try {
    await checkTarget(url, policy);
    return undefined;
  } catch (error) {
    if (error instanceof EgressRefusedError) return error;
    throw error;
  }
}

describe("a target (S1.24)", () => {
  it("passes when it is https and every address is public", async () => {
    expect(
      await refusal("https://hooks.example/x", resolving("93.184.216.34", "2606:4700::1111")),
    ).toBeUndefined();
    expect(await refusal("https://93.184.216.34:8443/")).toBeUndefined();
    expect(await refusal("https://[2606:4700::1111]/")).toBeUndefined();
  });

  it.each([
    ["not a url", "invalid-url"],
    ["/relative", "invalid-url"],
    ["https://", "invalid-url"],
    ["https://host:65536/", "invalid-url"],
    ["https://[fe80::1%25eth0]/", "invalid-url"],
    ["https://1.2.3.256/", "invalid-url"],
    ["ftp://93.184.216.34/", "scheme"],
    ["file:///etc/passwd", "scheme"],
    ["javascript:alert(1)", "scheme"],
    ["https://user@93.184.216.34/", "userinfo"],
    ["https://:secret@93.184.216.34/", "userinfo"],
    ["https://93.184.216.34:0/", "port"],
    ["http://93.184.216.34/", "plain-http"],
    ["https://127.0.0.1/", "address"],
    ["http://127.0.0.1/", "address"],
    ["https://[::1]/", "address"],
    ["https://[::ffff:127.0.0.1]/", "address"],
    ["https://[64:ff9b::7f00:1]/", "address"],
    ["https://169.254.169.254/latest/meta-data/", "address"],
  ])("like %s is refused: %s", async (url, reason) => {
    expect(await refusal(url)).toMatchObject({ reason, code: "egress_refused" });
  });

  it.each([
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0x7f.1/",
    "https://017700000001/",
    "https://0177.0.0.01/",
    "https://127.1/",
    "https://127.0.1/",
    "https://127.0.0.1./",
    "https://１２７.０.０.１/",
    "https://127。0。0。1/",
    "https://%31%32%37.0.0.1/",
    "https:\\\\127.0.0.1\\",
    "https:127.0.0.1/",
    "  https://127.0.0.1/",
    "https://①②⑦.0.0.1/",
    "https://0/",
    "https://[0:0:0:0:0:0:0:1]/",
    "https://[0:0:0:0:0:FFFF:7F00:1]/",
  ])("is normalised from any spelling: %s", async (url) => {
    expect(await refusal(url)).toMatchObject({ reason: "address" });
  });

  it("is refused exactly if its address is, in any spelling", async () => {
    const spelt = fc.oneof(
      fc.tuple(v4Address, fc.nat()).map(([value, choice]) => v4Spellings(value, choice)),
      fc.tuple(v6Address, fc.nat()).map(([value, choice]) => `[${v6Spellings(value, choice)}]`),
    );
    await fc.assert(
      fc.asyncProperty(spelt, async (host) => {
        const address = new URL(`https://${host}/`).hostname.replace(/[[\]]/g, "");
        const refused = (await refusal(`https://${host}/`)) !== undefined;
        expect(refused).toBe(refusedRange(address) !== undefined);
      }),
      { numRuns: 2_000 },
    );
  });

  it("is refused when one of its addresses is private, whatever the others are", async () => {
    for (const answer of [
      ["10.0.0.1", "93.184.216.34"],
      ["93.184.216.34", "10.0.0.1"],
      ["2606:4700::1111", "fd00::1"],
    ]) {
      expect(await refusal("https://mixed.example/", resolving(...answer))).toMatchObject({
        reason: "address",
      });
    }
  });

  it("is refused if its name resolves to this machine", async () => {
    for (const host of ["localhost", "localhost.", "LOCALHOST.", "hooks.localhost", "hooks.localhost."])
      expect(await refusal(`https://${host}/`), host).toMatchObject({ reason: "address" });
  });

  it("is refused with the reason and the setting to change, without path and query", async () => {
    const error = await refusal("https://intern.example/hook?token=s3cret", resolving("10.1.2.3"));
    expect(error?.message).toBe(
      "intern.example (10.1.2.3) is not a public address: private. " +
        "Set PARLEY_EGRESS_ALLOW to a block that holds it to allow it",
    );
  });

  it("passes over http too if each of its addresses is allow-listed", async () => {
    const allow = parseCidrList("10.0.0.0/8, ::1");
    expect(
      await refusal("http://intern.example/", { ...resolving("10.1.2.3", "::1"), allow }),
    ).toBeUndefined();
    const outside = { ...resolving("10.1.2.3", "93.184.216.34"), allow };
    expect(await refusal("http://intern.example/", outside)).toMatchObject({ reason: "plain-http" });
    expect(await refusal("https://intern.example/", outside)).toBeUndefined();
  });

  it("passes when the operator named its origin, compared in punycode with scheme and port", async () => {
    const policy = { ...resolving("10.1.2.3"), allowOrigins: ["http://Bücher.internal.:8001/any/path"] };
    expect(await refusal("http://xn--bcher-kva.internal:8001/a2a", policy)).toBeUndefined();
    expect(await refusal("http://BÜCHER.internal:8001", policy)).toBeUndefined();
    expect(await refusal("http://xn--bcher-kva.internal:8002/", policy)).toMatchObject({ reason: "address" });
    expect(await refusal("https://xn--bcher-kva.internal:8001/", policy)).toMatchObject({
      reason: "address",
    });
    expect(await refusal("http://other.internal:8001/", policy)).toMatchObject({ reason: "address" });
    const loopback = { allowOrigins: ["http://[::1]:8001"] };
    expect(await refusal("http://[0:0::1]:8001/", loopback)).toBeUndefined();
  });

  it("without an address is reported as not found, not as refused", async () => {
    await expect(checkTarget("https://gone.example/", resolving())).rejects.toThrow(HostNotFoundError);
    const failing = { lookup: () => Promise.reject(new Error("SERVFAIL")) };
    await expect(checkTarget("https://gone.example/", failing)).rejects.toThrow(
      "gone.example does not resolve to an address",
    );
  });

  it("whose name server does not answer times out", async () => {
    const silent: EgressPolicy = { lookup: () => new Promise(() => undefined), limits: { connect: 20 } };
    await expect(checkTarget("https://slow.example/", silent)).rejects.toThrow(EgressTimeoutError);
  });

  it("whose name resolves to an invalid address is refused", async () => {
    expect(await refusal("https://odd.example/", resolving("fe80::1%eth0"))).toMatchObject({
      reason: "address",
    });
  });
});
