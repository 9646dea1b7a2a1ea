import type { ApiFile } from "@parley/client";
import { BASE_PATH } from "../app/base-path.ts";
import type { UploadTrouble } from "./attachment.ts";

/** How an upload ended. */
export type Uploaded = { readonly sent: ApiFile } | { readonly trouble: UploadTrouble };

/** Who is told, who ends it, and who sends it. */
interface UploadOptions {
  readonly onProgress: (share: number) => void;
  readonly signal: AbortSignal;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends a file to the server and tells how far it is, from 0 to 1; it ends early when the signal does. */
export function uploadFile(file: File, { onProgress, signal, headers }: UploadOptions): Promise<Uploaded> {
  return new Promise((resolve) => {
    // fetch does not tell how much of a request has gone out.
    const request = new XMLHttpRequest();
    request.open("POST", `${BASE_PATH}/api/v1/files`);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.setRequestHeader("Content-Type", mediaTypeOf(file));
    request.setRequestHeader(
      "X-File-Name",
      encodeURIComponent(file.name.toWellFormed().slice(0, 255) || "file"),
    );
    request.upload.addEventListener("progress", ({ loaded, total }) =>
      onProgress(total ? loaded / total : 0),
    );
    request.addEventListener("load", () => resolve(outcomeOf(request)));
    const lost = () => resolve({ trouble: { name: "unreachable" } });
    request.addEventListener("error", lost);
    request.addEventListener("abort", lost);
    signal.addEventListener("abort", () => request.abort());
    request.send(file);
  });
}

function outcomeOf({ status, responseText }: XMLHttpRequest): Uploaded {
  if (status === 413) return { trouble: { name: "refusedTooLarge" } };
  try {
    const { file, detail, title } = JSON.parse(responseText) as {
      readonly file?: ApiFile;
      readonly detail?: string;
      readonly title?: string;
    };
    if (status === 201 && typeof file?.id === "string") return { sent: file };
    return { trouble: { name: "refused", reason: detail ?? title ?? String(status) } };
  } catch {
    return { trouble: { name: "refused", reason: String(status) } };
  }
}

/** Of what a browser does not know it says nothing; the server wants a type. */
function mediaTypeOf({ type }: File): string {
  return /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : "application/octet-stream";
}
