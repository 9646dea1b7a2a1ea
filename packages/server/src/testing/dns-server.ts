import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { Resolver } from "node:dns/promises";
import { once } from "node:events";
import { isIPv4 } from "node:net";
import type { Lookup } from "@parley/a2a";
import { onTestFinished } from "vitest";

const A = 1;
const CNAME = 5;
const AAAA = 28;

/** What a name leads to, each time it is asked: addresses, or another name. */
export type Zone = (name: string) => readonly string[];

/** For tests: a name server over UDP, and a look-up that asks it alone. */
export async function dnsServer(zone: Zone): Promise<{ readonly lookup: Lookup; asked(): number }> {
  let asked = 0;
  const socket = createSocket("udp4", (query: Buffer, from: RemoteInfo) => {
    asked++;
    socket.send(answer(query, zone), from.port, from.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  onTestFinished(() => void socket.close());
  const resolver = new Resolver({ timeout: 60_000, tries: 1 });
  resolver.setServers([`127.0.0.1:${portOf(socket)}`]);
  const none = () => [];
  return {
    lookup: async (name) =>
      (await Promise.all([resolver.resolve4(name).catch(none), resolver.resolve6(name).catch(none)])).flat(),
    asked: () => asked,
  };
}

function portOf(socket: Socket): number {
  return socket.address().port;
}

function answer(query: Buffer, zone: Zone): Buffer {
  const { name, end } = nameIn(query);
  const type = query.readUInt16BE(end);
  const found = records(name, type, zone);
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  // A response with authority, of one question and so many answers.
  header.writeUInt16BE(0x8580, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(found.length, 6);
  return Buffer.concat([header, query.subarray(12, end + 4), ...found]);
}

function records(name: string, type: number, zone: Zone): Buffer[] {
  return zone(name).flatMap((value) => {
    if (value.includes(":")) return type === AAAA ? [record(name, AAAA, v6Bytes(value))] : [];
    if (isIPv4(value)) return type === A ? [record(name, A, Buffer.from(value.split(".").map(Number)))] : [];
    return [record(name, CNAME, encoded(value)), ...records(value, type, zone)];
  });
}

/** It may not be remembered. */
function record(name: string, type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([encoded(name), fixed, data]);
}

function encoded(name: string): Buffer {
  const labels = name
    .split(".")
    .map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]));
  return Buffer.concat([...labels, Buffer.from([0])]);
}

function nameIn(query: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let place = 12;
  for (let length = query[place] ?? 0; length > 0; length = query[place] ?? 0) {
    labels.push(query.toString("ascii", place + 1, place + 1 + length));
    place += length + 1;
  }
  return { name: labels.join(".").toLowerCase(), end: place + 1 };
}

/** Of an address in its full or its shortened form. */
function v6Bytes(address: string): Buffer {
  const groups = new URL(`http://[${address}]`).hostname
    .slice(1, -1)
    .split("::")
    .map((side) => side.split(":").filter(Boolean));
  const [before = [], after = []] = groups;
  const zeros = Array<string>(8 - before.length - after.length).fill("0");
  return Buffer.from(
    [...before, ...zeros, ...after].flatMap((group) => {
      const value = Number.parseInt(group, 16);
      return [value >> 8, value & 0xff];
    }),
  );
}
