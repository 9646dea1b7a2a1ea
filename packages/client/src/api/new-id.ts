/** An id that nobody else chooses, as the API takes it. */
export function newId(prefix: "ses" | "msg" | "key" | "tab"): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `${prefix}_${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
