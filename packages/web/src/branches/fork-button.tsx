import { Show } from "solid-js";
import { Icon } from "../app/icon.tsx";
import { useParley } from "../app/parley.ts";
import { t } from "../app/strings/language.ts";
import { useBranches } from "./branches.ts";

/** Makes a branch that begins with everything up to a message, that message included, and goes there. */
export function ForkButton(props: { messageId: string | undefined }) {
  const { engine } = useParley();
  const branches = useBranches();
  return (
    <Show when={branches && props.messageId}>
      {(messageId) => (
        <button
          type="button"
          class="quiet-button"
          onClick={() => branches && engine.fork(branches.id(), { messageId: messageId() })}
        >
          <Icon name="branch" />
          {t().branches.forkHere}
        </button>
      )}
    </Show>
  );
}
