import { addressBits, type IpAddress, parseAddress } from "./ip-address.ts";

/** A block of addresses of one family. */
export interface Cidr {
  readonly family: 4 | 6;
  readonly base: bigint;
  readonly prefix: number;
  /** As it was written, for messages. */
  readonly text: string;
}

class InvalidCidrError extends Error {
  readonly code = "invalid_cidr";
  constructor(text: string, why: string) {
    super(`${JSON.stringify(text.slice(0, 80))} is not an address block: ${why}`);
  }
  override get name(): string {
    return "InvalidCidrError";
  }
}

/** Reads `10.0.0.0/8`, `fc00::/7` or a single address; an address with bits beyond its prefix is an error. */
export function parseCidr(text: string): Cidr {
  const [addressText = "", prefixText, ...rest] = text.split("/");
  const address = parseAddress(addressText);
  if (address === undefined || rest.length > 0) {
    throw new InvalidCidrError(text, "write an address and a prefix, like 10.0.0.0/8 or fd00::/8");
  }
  const bits = addressBits(address.family);
  const prefix = prefixText === undefined ? bits : parsePrefix(prefixText, bits);
  if (prefix === undefined) {
    throw new InvalidCidrError(text, `the prefix is a number from 0 to ${bits}`);
  }
  const block = { family: address.family, base: address.value, prefix, text };
  if (maskedTo(address.value, block) !== address.value) {
    throw new InvalidCidrError(text, `it has bits set beyond its prefix of ${prefix}`);
  }
  return block;
}

function parsePrefix(text: string, bits: number): number | undefined {
  return /^(0|[1-9]\d{0,2})$/.test(text) && Number(text) <= bits ? Number(text) : undefined;
}

/** Reads a list as an environment variable holds it: blocks separated by commas or white space. */
export function parseCidrList(text: string): readonly Cidr[] {
  return text
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .map(parseCidr);
}

/** Whether the block holds the address; the two families never match each other. */
export function contains(block: Cidr, address: IpAddress): boolean {
  return block.family === address.family && maskedTo(address.value, block) === block.base;
}

function maskedTo(value: bigint, block: { readonly family: 4 | 6; readonly prefix: number }): bigint {
  const rest = BigInt(addressBits(block.family) - block.prefix);
  return (value >> rest) << rest;
}
