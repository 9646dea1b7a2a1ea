import { describe, expect, it } from "vitest";
import { canonicalHost, isAllowed, loopbackBlocks, refusedRange } from "./address-rules.ts";
import { parseCidr, parseCidrList } from "./ip-address.ts";

/** The first and the last address of each range, and its neighbours where those are public. */
const ranges: readonly (readonly [
  name: string,
  refused: readonly string[],
  neighbours: readonly string[],
])[] = [
  ["this network", ["0.0.0.0", "0.255.255.255"], ["1.0.0.0"]],
  ["private", ["10.0.0.0", "10.255.255.255"], ["9.255.255.255", "11.0.0.0"]],
  ["carrier-grade NAT", ["100.64.0.0", "100.127.255.255"], ["100.63.255.255", "100.128.0.0"]],
  ["loopback", ["127.0.0.0", "127.0.0.1", "127.255.255.255"], ["126.255.255.255", "128.0.0.0"]],
  ["link-local", ["169.254.0.0", "169.254.169.254", "169.254.255.255"], ["169.253.255.255", "169.255.0.0"]],
  ["private", ["172.16.0.0", "172.31.255.255"], ["172.15.255.255", "172.32.0.0"]],
  ["protocol assignments", ["192.0.0.0", "192.0.0.192", "192.0.0.255"], ["191.255.255.255", "192.0.1.0"]],
  ["documentation", ["192.0.2.0", "192.0.2.255"], ["192.0.3.0"]],
  ["6to4 relays", ["192.88.99.0", "192.88.99.255"], ["192.88.98.255", "192.88.100.0"]],
  ["private", ["192.168.0.0", "192.168.255.255"], ["192.167.255.255", "192.169.0.0"]],
  ["benchmarking", ["198.18.0.0", "198.19.255.255"], ["198.17.255.255", "198.20.0.0"]],
  ["documentation", ["198.51.100.0", "198.51.100.255"], ["198.51.99.255", "198.51.101.0"]],
  ["documentation", ["203.0.113.0", "203.0.113.255"], ["203.0.112.255", "203.0.114.0"]],
  ["multicast", ["224.0.0.0", "239.255.255.255"], ["223.255.255.255"]],
  ["reserved", ["240.0.0.0", "255.255.255.254"], []],
  ["broadcast", ["255.255.255.255"], []],
  ["unspecified", ["::"], []],
  ["loopback", ["::1"], []],
  ["IPv4-compatible", ["::127.0.0.1", "::8.8.8.8"], []],
  ["IPv4-mapped", ["::ffff:127.0.0.1", "::ffff:8.8.8.8", "::ffff:a00:1"], []],
  ["IPv4-translated", ["::ffff:0:127.0.0.1"], []],
  ["NAT64", ["64:ff9b::127.0.0.1", "64:ff9b::8.8.8.8"], []],
  ["local NAT64", ["64:ff9b:1::a00:1", "64:ff9b:1:ffff::"], []],
  ["discard", ["100::1"], []],
  ["Teredo", ["2001::", "2001:0:ffff:ffff::"], []],
  ["protocol assignments", ["2001:2::1", "2001:10::", "2001:20::", "2001:1ff::"], ["2001:200::"]],
  ["documentation", ["2001:db8::1"], ["2001:db7::1", "2001:db9::1"]],
  ["6to4", ["2002::", "2002:7f00:1::", "2002:ffff::"], ["2003::"]],
  ["documentation", ["3fff::1", "3fff:fff::"], ["3fff:1000::", "3ffe::1"]],
  ["unique local", ["fc00::", "fd00::1", "fdff::"], []],
  ["link-local", ["fe80::1", "febf::"], []],
  ["site-local", ["fec0::1", "feff::"], []],
  ["multicast", ["ff02::1", "ff0e::1"], []],
  ["reserved", ["4000::", "5f00::1", "8000::1", "1fff::", "200::1"], []],
];

describe("an address", () => {
  it.each(ranges)(
    "in the range %s is refused, and its public neighbours are not",
    (name, refused, neighbours) => {
      for (const address of refused) expect(refusedRange(address), address).toContain(name);
      for (const address of neighbours) expect(refusedRange(address), address).toBeUndefined();
    },
  );

  it.each(["8.8.8.8", "1.1.1.1", "93.184.216.34", "2606:4700::1111", "2a00:1450:4001::200e"])(
    "that is public, like %s, passes",
    (address) => {
      expect(refusedRange(address)).toBeUndefined();
    },
  );

  it.each(["", "localhost", "fe80::1%lo", "127.1", "nonsense"])(
    "that is invalid, like %j, is refused",
    (text) => {
      expect(refusedRange(text)).toBe("not a plain IP address");
    },
  );
});

describe("PARLEY_EGRESS_ALLOW", () => {
  it("is empty unless it is set", () => {
    expect(parseCidrList(" ")).toEqual([]);
  });

  it("is a list of blocks and single addresses, separated by commas or spaces", () => {
    const allow = parseCidrList("127.0.0.1/32, ::1 10.1.0.0/16,\nfd00::/8");
    expect(allow.map((block) => block.text)).toEqual(["127.0.0.1/32", "::1", "10.1.0.0/16", "fd00::/8"]);
    expect(isAllowed("127.0.0.1", allow)).toBe(true);
    expect(isAllowed("127.0.0.2", allow)).toBe(false);
    expect(isAllowed("::1", allow)).toBe(true);
    expect(isAllowed("10.1.255.255", allow)).toBe(true);
    expect(isAllowed("10.2.0.0", allow)).toBe(false);
    expect(isAllowed("fdff::1", allow)).toBe(true);
  });

  it("does not allow the IPv4-mapped form of an IPv4 block", () => {
    expect(isAllowed("::ffff:127.0.0.1", loopbackBlocks)).toBe(false);
    expect(isAllowed("::ffff:127.0.0.1", [parseCidr("::ffff:127.0.0.0/104")])).toBe(true);
  });

  it.each([
    ["10.0.0.1/8", "bits set beyond its prefix of 8"],
    ["10.0.0.0/33", "0 to 32"],
    ["fd00::/129", "0 to 128"],
    ["10.0.0.0/-1", "0 to 32"],
    ["10.0.0.0/08", "0 to 32"],
    ["10.0.0.0/", "0 to 32"],
    ["10.0.0.0/8/8", "write an address and a prefix"],
    ["10.0/8", "write an address and a prefix"],
    ["010.0.0.0/8", "write an address and a prefix"],
    ["localhost", "write an address and a prefix"],
    ["*", "write an address and a prefix"],
  ])("with the mistake %s is an error that names it", (entry, why) => {
    expect(() => parseCidrList(`127.0.0.1/32,${entry}`)).toThrow(
      `${JSON.stringify(entry)} is not an address block:`,
    );
    expect(() => parseCidrList(entry)).toThrow(why);
  });

  it("may allow everything explicitly", () => {
    const everything = parseCidrList("0.0.0.0/0 ::/0");
    expect(isAllowed("169.254.169.254", everything)).toBe(true);
    expect(isAllowed("fe80::1", everything)).toBe(true);
  });
});

describe("host names", () => {
  it.each([
    ["EXAMPLE.com", "example.com"],
    ["example.com.", "example.com"],
    ["bücher.example", "xn--bcher-kva.example"],
    ["BÜCHER.example", "xn--bcher-kva.example"],
    ["xn--bcher-kva.example", "xn--bcher-kva.example"],
    ["ｅｘａｍｐｌｅ.com", "example.com"],
  ])("are compared in punycode: %s", (name, expected) => {
    expect(canonicalHost(name)).toBe(expected);
  });
});
