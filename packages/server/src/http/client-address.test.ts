import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { parseCidrList } from "@parley/a2a";
import { expect, it } from "vitest";
import { clientAddressOf, noteClientAddress } from "./client-address.ts";

const PROXIES = parseCidrList("10.0.0.0/8, fd00::/8");

function addressOf(peer: string, forwarded?: string): string {
  const socket = new Socket();
  Object.defineProperty(socket, "remoteAddress", { value: peer });
  const request = new IncomingMessage(socket);
  if (forwarded !== undefined) request.headers["x-forwarded-for"] = forwarded;
  noteClientAddress(request, PROXIES);
  return clientAddressOf(request);
}

it("X-Forwarded-For is trusted only as far back as trusted proxies vouch for it", () => {
  expect(addressOf("::ffff:192.0.2.1", "198.51.100.7")).toBe("192.0.2.1");
  expect(addressOf("10.0.0.1")).toBe("10.0.0.1");
  expect(addressOf("10.0.0.1", "198.51.100.7")).toBe("198.51.100.7");
  expect(addressOf("::ffff:10.0.0.1", "203.0.113.9, 198.51.100.7:4711, 10.2.0.1")).toBe("198.51.100.7");
  expect(addressOf("fd00::1", "[2001:db8::5]:443")).toBe("2001:db8::5");
  expect(addressOf("10.0.0.1", "198.51.100.7, unknown")).toBe("10.0.0.1");
});
