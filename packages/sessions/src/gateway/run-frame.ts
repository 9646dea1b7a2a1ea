import type { Part, StreamedEvent, StreamResponse } from "@parley/a2a";
import { BLOB_THRESHOLD_BYTES, type BlobReference, type BlobStore } from "@parley/journal";
import type { StoredFile } from "../domain/session-event.ts";
import type { AgentAddress } from "./agent-calls.ts";

/** The agent that has the message, and its idempotency key. */
export interface AskedAgent extends AgentAddress {
  readonly key: string;
  /** Identifies this request: its sender knows whether it was sent. */
  readonly asking?: string;
  /** An outside caller sent it: the task is only watched. */
  readonly adopted?: true;
}

/** The stream `run/<runId>`: what the agent sent, and what was done about it. */
export type RunFrame =
  | { readonly taken: { readonly sessionId: string } }
  /** Recorded before the message is sent: from now on the agent may have it. */
  | { readonly asked: AskedAgent }
  | StreamedEvent
  | { readonly large: BlobReference; readonly cursor?: string; readonly gap?: string }
  | { readonly told: string; readonly approvalId?: string }
  | { readonly restarted: string }
  | { readonly ended: string };

/** Stands for a file that is too large for an event. */
interface StoredPart extends Part {
  readonly blob: string;
  readonly size: number;
}

const SMALL_TEXT = 1_000;

/** The event with large parts moved to blobs, those files, and its frame. */
export async function framed(
  sent: StreamedEvent,
  blobs: BlobStore,
): Promise<{
  readonly event: StreamResponse;
  readonly frame: RunFrame;
  readonly files: readonly StoredFile[];
}> {
  const { event, ...about } = sent;
  if (isSmallText(event) || JSON.stringify(event).length < BLOB_THRESHOLD_BYTES / 4)
    return { event, frame: sent, files: [] };
  const files: StoredFile[] = [];
  const stored = await withStoredParts(event, async (part) => {
    const kept = await storedPart(part, blobs);
    const { filename = "", mediaType = "" } = kept;
    if ("blob" in kept) files.push({ name: filename, mediaType, size: kept.size, blob: kept.blob });
    return kept;
  });
  const content = Buffer.from(JSON.stringify(stored));
  if (content.byteLength < BLOB_THRESHOLD_BYTES)
    return { event: stored, frame: { ...about, event: stored }, files };
  const large = await blobs.put(content, "application/json");
  return { event: stored, frame: { ...about, large }, files };
}

// Nearly all events are; measuring them by writing them once more would be felt.
function isSmallText(event: StreamResponse): boolean {
  if (!("artifactUpdate" in event) || event.artifactUpdate.metadata) return false;
  const { parts, metadata } = event.artifactUpdate.artifact;
  const [part] = parts;
  return parts.length === 1 && !metadata && !part?.metadata && (part?.text?.length ?? Infinity) < SMALL_TEXT;
}

export async function eventIn(frame: RunFrame, blobs: BlobStore): Promise<StreamResponse | undefined> {
  if ("event" in frame) return frame.event;
  if (!("large" in frame)) return undefined;
  return JSON.parse(Buffer.from(await blobs.get(frame.large.hash)).toString()) as StreamResponse;
}

async function withStoredParts(
  event: StreamResponse,
  store: (part: Part) => Promise<Part>,
): Promise<StreamResponse> {
  const stored = (parts: readonly Part[]) => Promise.all(parts.map(store));
  if ("message" in event) return { message: { ...event.message, parts: await stored(event.message.parts) } };
  if ("artifactUpdate" in event) {
    const { artifact } = event.artifactUpdate;
    const parts = await stored(artifact.parts);
    return { artifactUpdate: { ...event.artifactUpdate, artifact: { ...artifact, parts } } };
  }
  if ("statusUpdate" in event) return event;
  const { history: _, artifacts = [], ...task } = event.task;
  const kept = artifacts.map(async (artifact) => ({ ...artifact, parts: await stored(artifact.parts) }));
  return { task: { ...task, artifacts: await Promise.all(kept) } };
}

async function storedPart(part: Part, blobs: BlobStore): Promise<Part | StoredPart> {
  const { raw, data, ...rest } = part;
  if (raw === undefined && data === undefined) return part;
  const content = raw === undefined ? Buffer.from(JSON.stringify(data)) : Buffer.from(raw, "base64");
  if (content.byteLength < BLOB_THRESHOLD_BYTES / 8) return part;
  const mediaType = part.mediaType ?? (raw === undefined ? "application/json" : "application/octet-stream");
  const { hash, size } = await blobs.put(content, mediaType);
  return { ...rest, mediaType, blob: hash, size };
}
