import { type ApiFile, sizeText } from "@parley/client";
import { For, Show } from "solid-js";
import { BASE_PATH } from "../app/base-path.ts";
import { Icon } from "../app/icon.tsx";
import { useParley } from "../app/parley.ts";
import { t } from "../app/strings/language.ts";
import { storeFile } from "../artifacts/store-file.ts";
import { headersOf } from "../people/who.ts";
import "../artifacts/run-files.css";

/** The files that the user sent with a message: each can be had again. */
export function MessageFiles(props: { files: readonly ApiFile[] }) {
  const { client, me } = useParley();
  // A plain link sends neither the key nor the workspace.
  const withKey = async (event: MouseEvent, { id, name }: ApiFile) => {
    if (Object.keys(headersOf(me)).length === 0) return;
    event.preventDefault();
    storeFile(await client.downloadFile(id), name);
  };
  return (
    <Show when={props.files.length > 0}>
      <ul class="message-files" aria-label={t().attachments.list}>
        <For each={props.files}>
          {(file) => (
            <li>
              <a
                class="file-chip"
                rel="external"
                download={file.name}
                href={`${BASE_PATH}/api/v1/files/${encodeURIComponent(file.id)}/content`}
                onClick={(event) => void withKey(event, file)}
              >
                <Icon name="file" />
                <span class="file-name">{file.name}</span>
                <span class="muted">{sizeText(file.size)}</span>
              </a>
            </li>
          )}
        </For>
      </ul>
    </Show>
  );
}
