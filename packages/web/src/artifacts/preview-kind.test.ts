import { expect, it } from "vitest";
import { previewKind } from "./preview-kind.ts";

it.each([
  ["image/png", "a.png", "image"],
  ["image/svg+xml", "a.svg", "drawing"],
  ["application/octet-stream", "a.svg", "text"],
  ["text/html", "a.html", "text"],
  ["text/markdown", "", "markdown"],
  ["application/octet-stream", "README.md", "markdown"],
  ["application/vnd.api+json", "", "json"],
  ["application/pdf", "a.pdf", "none"],
  ["application/octet-stream", "a.exe", "none"],
])("shows %s %s as %s", (mediaType, name, kind) => {
  expect(previewKind({ mediaType, name })).toBe(kind);
});
