import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseAddress } from "./ip-address.ts";
import { v4Address, v4Spellings, v6Address, v6Spellings } from "./testing/address-spellings.ts";

describe("parsing an address", () => {
  it.each([
    ["0.0.0.0", 4, 0n],
    ["127.0.0.1", 4, 0x7f000001n],
    ["255.255.255.255", 4, 0xffffffffn],
    ["::", 6, 0n],
    ["::1", 6, 1n],
    ["1::", 6, 1n << 112n],
    ["fe80::1:2", 6, (0xfe80n << 112n) + 0x10002n],
    ["::ffff:127.0.0.1", 6, 0xffff7f000001n],
    ["64:ff9b::8.8.8.8", 6, (0x64n << 112n) + (0xff9bn << 96n) + 0x08080808n],
    ["1:2:3:4:5:6:7:8", 6, 0x00010002000300040005000600070008n],
  ] as const)("accepts %s", (text, family, value) => {
    expect(parseAddress(text)).toEqual({ family, value });
  });

  it.each([
    "",
    "localhost",
    "127.1",
    "127.0.0.01",
    "0x7f.0.0.1",
    "127.0.0.256",
    "127.0.0.1.",
    " 127.0.0.1",
    "1.2.3.4.5",
    ":",
    ":::",
    "1::2::3",
    "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9",
    "1:2:3:4:5:6:7::8",
    "fe80::1%eth0",
    "[::1]",
    "12345::",
    "1.2.3.4::",
    "::1.2.3.4:5",
    "::1.2.3",
  ])("refuses %j", (text) => {
    expect(parseAddress(text)).toBeUndefined();
  });

  it("reads every spelling of an IPv6 address as the same number, and so does the URL parser", () => {
    fc.assert(
      fc.property(v6Address, fc.nat(), (value, choice) => {
        const spelling = v6Spellings(value, choice);
        expect(parseAddress(spelling)).toEqual({ family: 6, value });
        const { hostname } = new URL(`https://[${spelling}]/`);
        expect(parseAddress(hostname.slice(1, -1))).toEqual({ family: 6, value });
      }),
      { numRuns: 2_000 },
    );
  });

  it("relies on the URL parser to normalise every spelling of an IPv4 address", () => {
    fc.assert(
      fc.property(v4Address, fc.nat(), (value, choice) => {
        const { hostname } = new URL(`https://${v4Spellings(value, choice)}/`);
        expect(parseAddress(hostname)).toEqual({ family: 4, value: BigInt(value) });
      }),
      { numRuns: 2_000 },
    );
  });
});
