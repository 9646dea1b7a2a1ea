import { randomUUID } from "node:crypto";
import { isObject } from "@parley/a2a";
import { unless } from "@parley/adapters";
import type { Principal, SessionEvent } from "@parley/sessions";
import type { Files } from "../api-ports.ts";
import type { DomainEvent } from "../schemas/session-schemas.ts";

type Artifact = Extract<SessionEvent, { type: "agent_artifact" }>;
type Part = Artifact["parts"][number];

/** Smaller files stay inside their events. */
const MIN_BLOB_BYTES = 32 * 1_024;

/**
 * The event as JSON, in pieces, with the content of its files, so that it can be imported anywhere. A file that an earlier
 * event carried is referenced by its hash.
 */
export async function* jsonWithFiles(
  files: Files,
  principal: Principal,
  event: DomainEvent,
  carried: Set<string>,
): AsyncGenerator<string, void> {
  const { parts } = event.payload;
  if (event.type !== "agent_artifact" || !Array.isArray(parts)) return yield JSON.stringify(event);
  const place = randomUUID();
  const around = JSON.stringify({ ...event, payload: { ...event.payload, parts: place } });
  const [before, after] = around.split(JSON.stringify(place));
  yield `${before}[`;
  for (const [position, part] of parts.entries()) {
    if (position > 0) yield ",";
    yield* partWithContent(part);
  }
  yield `]${after}`;

  async function* partWithContent(part: Part): AsyncGenerator<string, void> {
    const { blob, size: _, raw: __, ...about } = membersOf(part);
    const content = typeof blob === "string" && !carried.has(blob) ? files.read(principal, blob) : undefined;
    // Imported events may reference files that were never here.
    const first = content && (await unless("not_found", content.next()));
    if (!content || !first) return yield JSON.stringify(part);
    carried.add(String(blob));
    yield JSON.stringify({ ...about, raw: "" }).slice(0, -2);
    let rest = Buffer.from(first.value ?? "");
    for await (const piece of content) {
      const whole = rest.byteLength - (rest.byteLength % 3);
      yield rest.toString("base64", 0, whole);
      rest = Buffer.concat([rest.subarray(whole), piece]);
    }
    yield `${rest.toString("base64")}"}`;
  }
}

/** The event with its large files stored as files of the principal. */
export async function withStoredFiles(
  files: Files,
  principal: Principal,
  event: SessionEvent,
): Promise<SessionEvent> {
  if (!isArtifact(event)) return event;
  const kept = event.parts.map(async (part): Promise<Part> => {
    const { raw, ...about } = membersOf(part);
    if (typeof raw !== "string") return part;
    const content = Buffer.from(raw, "base64");
    if (content.byteLength < MIN_BLOB_BYTES) return part;
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
  return isObject(part) ? (part as { readonly [name: string]: Part }) : {};
}
