import { Show } from "solid-js";
import { t } from "../app/strings/language.ts";
import { useInbox } from "./inbox.ts";

/** How many wait, beside the link to the inbox; nothing where none does. */
export function InboxBadge() {
  const { open } = useInbox();
  return (
    <Show when={open().length > 0}>
      <span class="badge">
        <span aria-hidden="true">{open().length}</span>
        <span class="visually-hidden"> {t().approvals.waiting(open().length)}</span>
      </span>
    </Show>
  );
}
