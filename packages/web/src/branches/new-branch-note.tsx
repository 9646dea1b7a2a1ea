import { A } from "@solidjs/router";
import { createMemo, Show } from "solid-js";
import { Icon } from "../app/icon.tsx";
import type { SessionView } from "../app/session-view.ts";
import { t } from "../app/strings/language.ts";
import { BranchWalker } from "./branch-walker.tsx";
import { useBranches } from "./branches.ts";

/** At the end of a branch in which nothing was said yet: that it is one, and where it comes from. */
export function NewBranchNote(props: { view: SessionView }) {
  const branches = useBranches();
  const parent = createMemo(() => {
    const family = branches?.family();
    const origin = family?.get(props.view.id())?.origin;
    const isNew = origin?.messages === props.view.shown()?.messages.length;
    return origin && isNew
      ? { id: origin.sessionId, title: family?.get(origin.sessionId)?.title }
      : undefined;
  });
  return (
    <Show when={parent()}>
      {(from) => (
        <div class="new-branch muted small">
          <Icon name="branch" />
          <span>
            {t().branches.newBranch} <A href={`/${from().id}`}>{from().title || t().app.untitled}</A>
          </span>
          <BranchWalker place={props.view.shown()?.messages.length ?? 0} />
        </div>
      )}
    </Show>
  );
}
