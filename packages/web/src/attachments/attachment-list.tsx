import { sizeText } from "@parley/client";
import { For, Match, Show, Switch } from "solid-js";
import { Button } from "../app/button.tsx";
import { Icon, IconButton } from "../app/icon.tsx";
import { t } from "../app/strings/language.ts";
import { type Attachment, type Attachments, MAX_BYTES, type UploadTrouble } from "./attachments.ts";
import "./attachments.css";

/** The attached files with their upload state. */
export function AttachmentList(props: { attachments: Attachments }) {
  return (
    <Show when={props.attachments.list().length > 0}>
      <ul class="attachments" aria-label={t().attachments.list}>
        <For each={props.attachments.list().map(({ key }) => key)}>
          {(key) => (
            <Show when={props.attachments.list().find((each) => each.key === key)}>
              {(attachment) => <Chip attachment={attachment()} attachments={props.attachments} />}
            </Show>
          )}
        </For>
      </ul>
    </Show>
  );
}

function Chip(props: { attachment: Attachment; attachments: Attachments }) {
  const state = () => props.attachment.state;
  const failed = () => {
    const current = state();
    return current.name === "failed" ? current.why : undefined;
  };
  const name = () => props.attachment.file.name;
  return (
    <li class="attachment" data-state={state().name}>
      <Icon name="file" />
      <span class="attachment-name" title={name()}>
        {name()}
      </span>
      <Switch>
        <Match when={failed()}>
          {(why) => (
            <>
              <span class="attachment-trouble" role="alert">
                {troubleText(why())}
              </span>
              <Show when={why().name === "unreachable" || why().name === "refused"}>
                <Button
                  kind="link"
                  label={t().app.retry}
                  onClick={() => props.attachments.retry(props.attachment.key)}
                />
              </Show>
            </>
          )}
        </Match>
        <Match when={state().name === "uploading"}>
          <progress max="1" value={shareOf(props.attachment)} aria-label={name()} />
        </Match>
        <Match when={true}>
          <span class="muted">{sizeText(props.attachment.file.size)}</span>
        </Match>
      </Switch>
      <IconButton
        icon="cross"
        label={t().attachments.remove(name())}
        onClick={() => props.attachments.remove(props.attachment.key)}
      />
    </li>
  );
}

function shareOf({ state }: Attachment): number {
  return state.name === "uploading" ? state.share : 1;
}

function troubleText(why: UploadTrouble): string {
  const words = t().attachments;
  switch (why.name) {
    case "tooLarge":
      return words.tooLarge(sizeText(MAX_BYTES));
    case "refused":
      return words.refused(why.reason);
    case "refusedTooLarge":
    case "unreachable":
    case "empty":
      return words[why.name];
  }
}
