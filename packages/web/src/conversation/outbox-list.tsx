import type { NextMessage } from "@parley/client";
import { For, Show } from "solid-js";
import { t } from "../app/strings/language.ts";
import type { Outbox } from "./outbox.ts";

/** The messages that wait for the answer before them. */
export function OutboxList(props: { outbox: Outbox }) {
  return (
    <Show when={props.outbox.waiting().length > 0}>
      <ul class="outbox" aria-label={t().conversation.queuedNext}>
        <For each={props.outbox.waiting()}>
          {(message) => (
            <li>
              <span class="outbox-text">{outboxText(message)}</span>
              <span class="muted">{t().conversation.queuedNext}</span>
              <button type="button" class="link-button" onClick={() => props.outbox.sendNow(message.key)}>
                {t().conversation.sendNow}
              </button>
              <button type="button" class="link-button" onClick={() => props.outbox.remove(message.key)}>
                {t().conversation.remove}
              </button>
            </li>
          )}
        </For>
      </ul>
    </Show>
  );
}

function outboxText({ content, files }: NextMessage): string {
  return [content, ...files.map(({ name }) => name)].filter((part) => part !== "").join(" · ");
}
