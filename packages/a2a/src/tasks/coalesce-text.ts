import { isDeepStrictEqual } from "node:util";
import type { Merge } from "@parley/journal";
import type { Part, TaskArtifactUpdate } from "../protocol/model.ts";
import type { TaskEvent } from "./task-events.ts";

/**
 * Joins two neighbouring pieces of plain text of one artifact into one. Declines whenever joining would change what
 * a reader makes of them: another artifact, a piece that begins anew, a piece after the last, one with other metadata, anything but text.
 */
export const joinText: Merge = (previous, next) => {
  const first = textPiece(previous as TaskEvent);
  const second = textPiece(next as TaskEvent);
  if (!first || !second || first.update.lastChunk || !second.update.append) return undefined;
  const { artifact } = first.update;
  const { artifactId, metadata } = second.update.artifact;
  if (artifact.artifactId !== artifactId || !isDeepStrictEqual(artifact.metadata, metadata)) return undefined;
  const parts = [{ text: first.text + second.text }];
  const last = second.update.lastChunk && { lastChunk: true };
  return { artifactUpdate: { ...first.update, artifact: { ...artifact, parts }, ...last } };
};

function textPiece(event: TaskEvent): { update: TaskArtifactUpdate; text: string } | undefined {
  if (!("artifactUpdate" in event)) return undefined;
  const { artifactUpdate: update } = event;
  const [part, ...more] = update.artifact.parts;
  if (!part || more.length > 0 || !isBare(part) || update.metadata) return undefined;
  return { update, text: part.text };
}

function isBare(part: Part): part is { readonly text: string } {
  return part.text !== undefined && Object.keys(part).length === 1;
}
