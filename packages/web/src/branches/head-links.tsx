import { A } from "@solidjs/router";
import { Icon } from "../app/icon.tsx";
import type { SessionView } from "../app/session-view.ts";
import { t } from "../app/strings/language.ts";
import { ShareButton } from "../people/share-button.tsx";
import { useBranches } from "./branches.ts";

/** Links to a conversation's branches, its past and its share links. */
export function HeadLinks(props: { view: SessionView }) {
  const branches = useBranches();
  const count = () => branches?.family().size ?? 1;
  return (
    <span class="head-links">
      <A
        href={`/${props.view.id()}/branches`}
        class="quiet-button"
        aria-label={t().branches.titleWith(count())}
        title={t().branches.titleWith(count())}
      >
        <Icon name="branch" />
        <span>{count() > 1 ? count() : ""}</span>
      </A>
      <A
        href={`/${props.view.id()}?event=last`}
        class="quiet-button"
        aria-label={t().replay.label}
        title={t().replay.label}
      >
        <Icon name="clock" />
      </A>
      <ShareButton sessionId={props.view.id()} />
    </span>
  );
}
