import type { ApiFile } from "@parley/client";
import { createSignal, onCleanup } from "solid-js";
import { BASE_PATH } from "../app/base-path.ts";
import { useParley } from "../app/parley.ts";
import { headersOf } from "../people/who.ts";

/** A file on its way to the server, or there. */
export interface Attachment {
  readonly key: number;
  readonly file: File;
  readonly state:
    | { readonly name: "uploading"; readonly share: number }
    | { readonly name: "done"; readonly sent: ApiFile }
    | { readonly name: "failed"; readonly why: UploadTrouble };
}

/** Why a file did not get there. */
export type UploadTrouble =
  | { readonly name: "tooLarge" | "refusedTooLarge" | "unreachable" | "empty" }
  | { readonly name: "refused"; readonly reason: string };

/** What the server takes of a file, and of files with one message. */
export const MAX_BYTES = 20 * 1_048_576;
export const MAX_FILES = 20;

/** The attachments of a composer; uploads end with the component. */
export function createAttachments() {
  const { me } = useParley();
  const [list, setList] = createSignal<readonly Attachment[]>([]);
  const stops = new Map<number, AbortController>();
  let last = 0;
  const set = (key: number, state: Attachment["state"]) =>
    setList((before) => before.map((each) => (each.key === key ? { ...each, state } : each)));
  const upload = async ({ key, file }: Pick<Attachment, "key" | "file">) => {
    if (file.size === 0) return set(key, { name: "failed", why: { name: "empty" } });
    if (file.size > MAX_BYTES) return set(key, { name: "failed", why: { name: "tooLarge" } });
    const stop = new AbortController();
    stops.set(key, stop);
    const ended = await uploadFile(file, {
      onProgress: (share) => set(key, { name: "uploading", share }),
      signal: stop.signal,
      headers: headersOf(me),
    });
    stops.delete(key);
    set(key, "sent" in ended ? { name: "done", sent: ended.sent } : { name: "failed", why: ended.trouble });
  };
  const start = { name: "uploading", share: 0 } as const;
  const remove = (key: number) => {
    setList((before) => before.filter((each) => each.key !== key));
    stops.get(key)?.abort();
  };
  onCleanup(() => {
    for (const stop of stops.values()) stop.abort();
  });
  return {
    list,
    remove,
    isReady: () => list().every(({ state }) => state.name === "done"),
    /** Starts to upload; false: there were too many, and the last are left out. */
    add(files: readonly File[]) {
      const taken = files.slice(0, MAX_FILES - list().length);
      const added = taken.map((file): Attachment => ({ key: ++last, file, state: start }));
      setList((before) => [...before, ...added]);
      for (const each of added) void upload(each);
      return taken.length === files.length;
    },
    retry(key: number) {
      const found = list().find((each) => each.key === key);
      if (!found) return;
      set(key, start);
      void upload(found);
    },
    /** The files as the server has them; the list is empty afterwards. */
    take() {
      const files = list().flatMap(({ state }) => (state.name === "done" ? [state.sent] : []));
      setList([]);
      return files;
    },
  };
}

type Uploaded = { readonly sent: ApiFile } | { readonly trouble: UploadTrouble };

interface UploadOptions {
  readonly onProgress: (share: number) => void;
  readonly signal: AbortSignal;
  readonly headers: Readonly<Record<string, string>>;
}

/** Uploads a file and reports its progress from 0 to 1. */
function uploadFile(file: File, { onProgress, signal, headers }: UploadOptions): Promise<Uploaded> {
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

/** The browser leaves unknown types empty, but the server requires one. */
function mediaTypeOf({ type }: File): string {
  return /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : "application/octet-stream";
}

/** The files that go out with the next message. */
export type Attachments = ReturnType<typeof createAttachments>;
