import type { ApiClient } from "@parley/client";
import type { ArtifactFile } from "./artifact-file.ts";

/** The content of a file, wherever it is; undefined where it lies elsewhere. Throws where it cannot be read. */
export async function fileContent({ source }: ArtifactFile, client: ApiClient): Promise<Blob | undefined> {
  switch (source.kind) {
    case "data":
      return new Blob([JSON.stringify(source.data, null, 2)]);
    case "base64":
      return new Blob([bytesOf(source.base64)]);
    case "blob":
      return client.downloadFile(source.blob);
    case "link":
      return undefined;
  }
}

/** Gives the browser a file to store, whatever it is: never to open. */
export function storeFile(content: Blob, name: string): void {
  const url = URL.createObjectURL(new Blob([content], { type: "application/octet-stream" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken it over by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const binary = atob(base64.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}
