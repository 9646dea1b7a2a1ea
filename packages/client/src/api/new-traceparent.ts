/** The beginning of a trace, as the W3C writes it: what the server does for this request is found beneath it. */
export function newTraceparent(): string {
  const [trace, span] = [16, 8].map((bytes) =>
    Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) => byte.toString(16).padStart(2, "0")),
  );
  return `00-${trace?.join("")}-${span?.join("")}-01`;
}
