/**
 * Whether a client takes an answer of this type. All should name both that there are, and several do not: who names
 * nothing takes anything.
 */
export function accepts(header: string | undefined, type: "application/json" | "text/event-stream"): boolean {
  const [kind = ""] = type.split("/");
  return (header?.trim() || "*/*")
    .split(",")
    .some((one) => [type, `${kind}/*`, "*/*"].includes(one.split(";")[0]?.trim().toLowerCase() ?? ""));
}
