/** A name under which a file can be stored, and that reads as it is. */
export function safeName(name: string, otherwise: string): string {
  const safe = name
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}/\\]/gu, "_")
    .slice(0, 200);
  return /^\.{0,2}$/.test(safe) ? otherwise : safe;
}
