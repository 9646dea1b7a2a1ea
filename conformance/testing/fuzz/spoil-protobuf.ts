import { framed } from "./grpc-exchange.ts";
import type { GrpcRequest } from "./grpc-requests.ts";
import { ODD_TEXTS } from "./odd-values.ts";
import type { Random } from "./random.ts";
import { spoilValue } from "./spoil-json.ts";

/** The bytes of a request that is not as it should be: another content, broken bytes, or a broken frame. */
export function spoilProtobuf(request: GrpcRequest, random: Random): { body: Buffer; isFramed: boolean } {
  const message = spoilBytes(encoded(request, random), random);
  switch (random.below(30)) {
    case 0:
      return { body: framed(message, { flag: random.pick([1, 2, 255]) }), isFramed: false };
    case 1: {
      const length = random.pick([0, message.length + 1, 2 ** 31, 2 ** 32 - 1]);
      return { body: framed(message, { length }), isFramed: false };
    }
    case 2:
      return { body: Buffer.concat([framed(message), framed(message)]), isFramed: false };
    case 3:
      return { body: framed(message).subarray(0, random.below(message.length + 5)), isFramed: false };
    default:
      return { body: framed(message), isFramed: true };
  }
}

// What the generated code cannot write is no message that a client could send.
function encoded({ message, serialize }: GrpcRequest, random: Random): Buffer {
  try {
    return serialize(random.percent(70) ? (spoilValue(message, random) as object) : message);
  } catch {
    return serialize(message);
  }
}

function spoilBytes(bytes: Buffer, random: Random): Buffer {
  const at = random.below(bytes.length + 1);
  switch (random.below(16)) {
    case 0:
      return bytes.subarray(0, at);
    case 1:
      return Buffer.concat([bytes.subarray(0, at), noise(random), bytes.subarray(at)]);
    case 2:
      return flipped(bytes, random);
    case 3:
      return noise(random);
    case 4:
      return Buffer.concat([bytes, bytes]);
    case 5:
      return Buffer.concat([bytes, field(random.pick([1, 2, 5, 15, 536_870_911]), random)]);
    case 6:
      return nested(random.pick([10, 70, 3_000]), random);
    case 7:
      return random.percent(90)
        ? Buffer.alloc(0)
        : Buffer.concat([bytes, lengthDelimited(1, Buffer.alloc(1_100_000))]);
    default:
      return bytes;
  }
}

function flipped(bytes: Buffer, random: Random): Buffer {
  const copy = Buffer.from(bytes);
  if (copy.length > 0) copy[random.below(copy.length)] = random.below(256);
  return copy;
}

function noise(random: Random): Buffer {
  return Buffer.from(Array.from({ length: random.below(60) }, () => random.below(256)));
}

/** A field of this number in any wire type, those that there are not included. */
function field(number: number, random: Random): Buffer {
  const type = random.below(8);
  if (type === 2) return lengthDelimited(number, Buffer.from(random.pick(ODD_TEXTS)));
  const value = random.pick([
    varint(0),
    varint(2 ** 31),
    Buffer.alloc(10, 0xff),
    Buffer.alloc(8, 0x7f),
    noise(random),
  ]);
  return Buffer.concat([varint(number * 8 + type), value]);
}

/** A message within a message within a message. */
function nested(levels: number, random: Random): Buffer {
  const tag = varint(random.pick([1, 2, 4, 5, 6]) * 8 + 2);
  const pieces = [Buffer.from("x")];
  let length = 1;
  for (let level = 0; level <= levels; level++) {
    const head = Buffer.concat([tag, varint(length)]);
    pieces.push(head);
    length += head.length;
  }
  return Buffer.concat(pieces.reverse());
}

function lengthDelimited(number: number, content: Buffer): Buffer {
  return Buffer.concat([varint(number * 8 + 2), varint(content.length), content]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let left = value; ; left = Math.floor(left / 128)) {
    if (left < 128) return Buffer.from([...bytes, left]);
    bytes.push((left % 128) + 128);
  }
}
