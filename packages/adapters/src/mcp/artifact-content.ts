import type { ContentBlock } from "@modelcontextprotocol/server";
import type { EventOf } from "@parley/sessions";
import { z } from "zod";
import { sessionUri } from "./resource-uris.ts";

/** A part of an artifact, as far as it can be shown: words, content in Base64, data, a link, or a stored file. */
const part = z.looseObject({
  text: z.string().optional(),
  raw: z.string().optional(),
  data: z.unknown().optional(),
  url: z.string().optional(),
  blob: z.string().optional(),
  filename: z.string().optional(),
  mediaType: z.string().optional(),
});

/** How parts become blocks. */
export interface ArtifactOptions {
  readonly sessionId: string;
  /** The reader's revision has links to resources. */
  readonly takesLinks: boolean;
  readonly fileUri: (blob: string) => string;
}

/** What an agent made beside words, as blocks of a result. */
export function artifactContent(
  { artifactId, name, parts }: EventOf<"agent_artifact">,
  { sessionId, takesLinks, fileUri }: ArtifactOptions,
): ContentBlock[] {
  return parts.flatMap((given, place) => {
    const { success, data: known } = part.safeParse(given);
    if (!success) return [];
    const { text, raw, data, url, blob, mediaType = "application/octet-stream" } = known;
    const title = known.filename ?? name ?? artifactId;
    const uri = `${sessionUri(sessionId)}/artifacts/${encodeURIComponent(artifactId)}/${place}`;
    // Agents write it in either alphabet; clients refuse a whole result with any but the first.
    if (raw !== undefined) return [embedded(uri, mediaType, Buffer.from(raw, "base64").toString("base64"))];
    if (blob !== undefined || url !== undefined)
      return [linked(blob === undefined ? String(url) : fileUri(blob), title, mediaType, takesLinks)];
    if (data !== undefined)
      return [
        { type: "resource", resource: { uri, mimeType: "application/json", text: JSON.stringify(data) } },
      ];
    return text === undefined ? [] : [{ type: "text", text }];
  });
}

function embedded(uri: string, mimeType: string, raw: string): ContentBlock {
  if (mimeType.startsWith("image/")) return { type: "image", data: raw, mimeType };
  if (mimeType.startsWith("audio/")) return { type: "audio", data: raw, mimeType };
  return { type: "resource", resource: { uri, mimeType, blob: raw } };
}

function linked(uri: string, name: string, mimeType: string, takesLinks: boolean): ContentBlock {
  return takesLinks
    ? { type: "resource_link", uri, name, mimeType }
    : { type: "text", text: `${name}: ${uri}` };
}
