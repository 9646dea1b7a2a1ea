/** A header that makes browsers download a file under its name and never display it, whatever the name contains. */
export function contentDisposition(name: string): string {
  const safe =
    name
      .toWellFormed()
      .replace(/[\p{Cc}\p{Cf}/\\]/gu, "_")
      .slice(0, 200) || "file";
  const plain = safe.replace(/[^\x20-\x7e]|["%;]/g, "_");
  const encoded = encodeURIComponent(safe.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
