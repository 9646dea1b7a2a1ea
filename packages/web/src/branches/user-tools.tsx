import type { ShownMessage } from "@parley/client";
import { Show } from "solid-js";
import { Icon } from "../app/icon.tsx";
import { t } from "../app/strings/language.ts";
import { BranchWalker } from "./branch-walker.tsx";
import { useBranches } from "./branches.ts";
import { ForkButton } from "./fork-button.tsx";

/** Below what the user said: the other versions of it, and the ways to make one. */
export function UserTools(props: { message: ShownMessage | undefined; onEdit: () => void }) {
  const branches = useBranches();
  const recorded = () => (branches && props.message && !props.message.pending ? props.message : undefined);
  return (
    <Show when={recorded()}>
      {(message) => (
        <span class="user-tools">
          <span class="on-demand">
            <button type="button" class="quiet-button" onClick={props.onEdit}>
              <Icon name="edit" />
              {t().branches.edit}
            </button>
            <ForkButton messageId={message().id} />
          </span>
          <BranchWalker place={message().index} />
        </span>
      )}
    </Show>
  );
}
