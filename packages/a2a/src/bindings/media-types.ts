import { A2AError } from "../protocol/errors.ts";
import type { Part } from "../protocol/model.ts";

/** Refuses parts of a type that is not among the card's input modes; a part that names none is taken. */
export function checkMediaTypes(parts: readonly Part[], modes: readonly string[]): void {
  const accepted = new Set(modes.map(essence));
  if (accepted.has("*/*")) return;
  for (const [n, { mediaType }] of parts.entries()) {
    if (mediaType === undefined) continue;
    const type = essence(mediaType);
    if (accepted.has(type) || accepted.has(`${type.split("/")[0]}/*`)) continue;
    const supported = modes.join(", ");
    const message = `message.parts[${n}] is ${mediaType}, but this agent takes ${supported}`;
    throw new A2AError("ContentTypeNotSupported", message, { mediaType, supported });
  }
}

/** A media type without its parameters, in small letters. */
function essence(mediaType: string): string {
  return (mediaType.split(";")[0] ?? "").trim().toLowerCase();
}
