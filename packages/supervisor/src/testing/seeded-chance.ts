import { createHash } from "node:crypto";

/** Numbers from 0 to 1 that are the same for the same seed. */
export function seededChance(seed: string): () => number {
  let count = 0;
  return () => createHash("sha256").update(`${seed}/${count++}`).digest().readUInt32LE() / 4_294_967_296;
}
