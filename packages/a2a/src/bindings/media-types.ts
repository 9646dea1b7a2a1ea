import { A2AError } from "../protocol/errors.ts";
import type { Part } from "../protocol/model.ts";

/** Refuses parts of a type that is not among the card's input modes; a part that names none is taken. */
export function checkMediaTypes(parts: readonly Part[], modes: readonly string[]): void {
  for (const [n, { mediaType }] of parts.entries()) {
    if (mediaType === undefined || takesMediaType(modes, mediaType)) continue;
    const supported = modes.join(", ");
    const message = `message.parts[${n}] is ${mediaType}, but this agent takes ${supported}`;
    throw new A2AError("ContentTypeNotSupported", message, { mediaType, supported });
  }
}

/** Whether one of these modes, as cards list them, is or covers a media type. */
export function takesMediaType(modes: readonly string[], mediaType: string): boolean {
  const type = essence(mediaType);
  const fitting = new Set([type, `${type.split("/")[0]}/*`, "*/*"]);
  return modes.some((mode) => fitting.has(essence(mode)));
}

/** A media type without its parameters, in small letters. */
function essence(mediaType: string): string {
  return (mediaType.split(";")[0] ?? "").trim().toLowerCase();
}
