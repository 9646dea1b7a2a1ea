import type { Principal, SessionEvent } from "@parley/sessions";
import type { Files } from "../api-ports.ts";
import { problemOf } from "../problem.ts";

type Artifact = Extract<SessionEvent, { type: "agent_artifact" }>;
type Part = Artifact["parts"][number];

/** As long as they are not larger, files are in the events themselves. */
const LARGE_BYTES = 32 * 1_024;

/** The event with the content of its files, so that it is whole wherever it is taken in. */
export async function withFileContents<Event extends object>(
  files: Files,
  principal: Principal,
  event: Event,
): Promise<Event> {
  if (!isArtifact(event)) return event;
  const filled = event.parts.map(async (part): Promise<Part> => {
    const { blob, size: _, ...about } = membersOf(part);
    if (typeof blob !== "string") return part;
    const content = await contentOf(files, principal, blob);
    return content === undefined ? part : { ...about, raw: Buffer.from(content).toString("base64") };
  });
  return { ...event, parts: await Promise.all(filled) };
}

/** The event with large files kept beside it, as the principal's. */
export async function withKeptFiles(
  files: Files,
  principal: Principal,
  event: SessionEvent,
): Promise<SessionEvent> {
  if (!isArtifact(event)) return event;
  const kept = event.parts.map(async (part): Promise<Part> => {
    const { raw, ...about } = membersOf(part);
    if (typeof raw !== "string") return part;
    const content = Buffer.from(raw, "base64");
    if (content.byteLength < LARGE_BYTES) return part;
    const { filename: name, mediaType: type } = about;
    const mediaType = typeof type === "string" ? type : "application/octet-stream";
    const file = { name: typeof name === "string" ? name : "", mediaType, content };
    const { blob, size } = await files.put(principal, file);
    return { ...about, mediaType, blob, size };
  });
  return { ...event, parts: await Promise.all(kept) };
}

function isArtifact(event: object): event is Artifact {
  return "type" in event && event.type === "agent_artifact" && "parts" in event && Array.isArray(event.parts);
}

function membersOf(part: Part): { readonly [name: string]: Part } {
  return typeof part === "object" && part !== null && !Array.isArray(part)
    ? (part as { readonly [name: string]: Part })
    : {};
}

async function contentOf(files: Files, principal: Principal, blob: string): Promise<Uint8Array | undefined> {
  try {
    return await files.content(principal, blob);
  } catch (error) {
    // An import may name what was never here.
    if (problemOf(error)?.code === "not_found") return undefined;
    throw error;
  }
}
