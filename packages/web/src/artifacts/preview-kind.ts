import type { ArtifactFile } from "@parley/client";

/** How a file is shown, if it is. */
export type PreviewKind = "image" | "drawing" | "markdown" | "json" | "text" | "none";

/** Formats that cannot contain scripts or references. */
const PICTURES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"]);
const TEXT_NAMES =
  /\.(txt|log|csv|tsv|ya?ml|toml|ini|xml|html?|svg|css|[cm]?[jt]sx?|py|rb|go|rs|java|sh|sql|diff|patch)$/i;
const TEXT_TYPES = /^text\/|[/+](xml|yaml|toml|javascript|sql|csv)$/;

/** How a file of this type and name is shown: what could act is shown as the text that it is. */
export function previewKind({ mediaType, name }: Pick<ArtifactFile, "mediaType" | "name">): PreviewKind {
  if (PICTURES.has(mediaType)) return "image";
  // As an image it is drawn only: no script of it runs, and nothing that it names is fetched.
  if (mediaType === "image/svg+xml") return "drawing";
  if (mediaType === "text/markdown" || /\.(md|markdown)$/i.test(name)) return "markdown";
  if (/[/+]json$/.test(mediaType) || /\.json$/i.test(name)) return "json";
  return TEXT_TYPES.test(mediaType) || TEXT_NAMES.test(name) ? "text" : "none";
}
