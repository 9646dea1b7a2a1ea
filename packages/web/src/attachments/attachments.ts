import type { ApiFile } from "@parley/client";
import { type Accessor, createSignal, onCleanup } from "solid-js";
import { useParley } from "../app/parley.ts";
import { headersOf } from "../people/who.ts";
import { type Attachment, MOST_BYTES, MOST_FILES } from "./attachment.ts";
import { uploadFile } from "./upload-file.ts";

/** The files that go out with the next message. */
export interface Attachments {
  readonly list: Accessor<readonly Attachment[]>;
  /** Whether all of them are at the server. */
  readonly isReady: Accessor<boolean>;
  /** Begins to upload; false: there were too many, and the last are left out. */
  add(files: readonly File[]): boolean;
  remove(key: number): void;
  retry(key: number): void;
  /** As the server has them; the list is empty afterwards. */
  take(): readonly ApiFile[];
}

/** Makes the list of a composer; what is still on its way ends with it. */
export function createAttachments(): Attachments {
  const { me } = useParley();
  const [list, setList] = createSignal<readonly Attachment[]>([]);
  const stops = new Map<number, AbortController>();
  let last = 0;
  const set = (key: number, state: Attachment["state"]) =>
    setList((before) => before.map((each) => (each.key === key ? { ...each, state } : each)));
  const upload = async ({ key, file }: Pick<Attachment, "key" | "file">) => {
    if (file.size === 0) return set(key, { name: "failed", why: { name: "empty" } });
    if (file.size > MOST_BYTES) return set(key, { name: "failed", why: { name: "tooLarge" } });
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
    ...{ list, remove },
    isReady: () => list().every(({ state }) => state.name === "done"),
    add(files) {
      const taken = files.slice(0, MOST_FILES - list().length);
      const added = taken.map((file): Attachment => ({ key: ++last, file, state: start }));
      setList((before) => [...before, ...added]);
      for (const each of added) void upload(each);
      return taken.length === files.length;
    },
    retry(key) {
      const found = list().find((each) => each.key === key);
      if (!found) return;
      set(key, start);
      void upload(found);
    },
    take() {
      const files = list().flatMap(({ state }) => (state.name === "done" ? [state.sent] : []));
      setList([]);
      return files;
    },
  };
}
