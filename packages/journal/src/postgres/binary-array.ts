/** The types that a batch is made of, by their numbers in Postgres's catalogue. */
const INT8 = 20;
const TEXT = 25;
const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
const INT8_BYTES = 8;

/**
 * Arrays in Postgres's binary format: pg sends a Buffer as it is, so a batch of JSON is neither escaped here
 * nor parsed there.
 */
export function textArray(values: readonly string[]): Buffer {
  const lengths = values.map((value) => Buffer.byteLength(value));
  const size = lengths.reduce((sum, length) => sum + LENGTH_BYTES + length, HEADER_BYTES);
  const buffer = startArray(TEXT, values.length, size);
  let offset = HEADER_BYTES;
  for (const [position, length] of lengths.entries()) {
    offset = buffer.writeInt32BE(length, offset);
    offset += buffer.write(values[position] ?? "", offset);
  }
  return buffer;
}

export function int8Array(values: readonly number[]): Buffer {
  const size = HEADER_BYTES + values.length * (LENGTH_BYTES + INT8_BYTES);
  const buffer = startArray(INT8, values.length, size);
  let offset = HEADER_BYTES;
  for (const value of values) {
    offset = buffer.writeInt32BE(INT8_BYTES, offset);
    offset = buffer.writeInt32BE(Math.floor(value / 2 ** 32), offset);
    offset = buffer.writeUInt32BE(value >>> 0, offset);
  }
  return buffer;
}

function startArray(type: number, count: number, size: number): Buffer {
  const buffer = Buffer.allocUnsafe(size);
  buffer.writeInt32BE(count === 0 ? 0 : 1, 0); // dimensions
  buffer.writeInt32BE(0, 4); // no NULL among the values
  buffer.writeInt32BE(type, 8);
  buffer.writeInt32BE(count, 12);
  buffer.writeInt32BE(1, 16); // the first index
  return count === 0 ? buffer.subarray(0, 12) : buffer;
}
