import { useNavigate } from "@solidjs/router";
import { createEffect, createMemo, Show } from "solid-js";
import { IconButton } from "../app/icon.tsx";
import { t } from "../app/strings/language.ts";
import { alternativesAt, type Place } from "./alternatives.ts";
import { useBranches } from "./branches.ts";
import "./branches.css";

type Step = -1 | 1;

/** Which way was walked and where: the walker there, on the next page, is where the keyboard goes on. */
let walked: { readonly place: Place; readonly step: Step; readonly until: number } | undefined;
/** Whoever has waited longer has gone on elsewhere. */
const REMEMBERED_MS = 3_000;

/** `‹ 2/3 ›`: walks between the branches that differ here; nothing where there is only one. */
export function BranchWalker(props: { place: Place }) {
  const branches = useBranches();
  const navigate = useNavigate();
  const alternatives = createMemo(
    () => branches && alternativesAt(branches.family(), branches.id(), props.place),
  );
  const go = (step: Step) => {
    const { sessions, at } = alternatives() ?? { sessions: [], at: 0 };
    const next = sessions[at + step];
    if (next === undefined) return;
    walked = { place: props.place, step, until: performance.now() + REMEMBERED_MS };
    navigate(`/${next}`);
  };
  let group: HTMLFieldSetElement | undefined;
  createEffect(() => {
    if (!alternatives() || walked?.place !== props.place) return;
    const { step, until } = walked;
    walked = undefined;
    if (performance.now() > until) return;
    // The page has to be laid out first: being focused brings the message into view.
    requestAnimationFrame(() => requestAnimationFrame(() => focusIn(group, step)));
  });
  return (
    <Show when={alternatives()}>
      {(known) => (
        <fieldset
          class="branch-walker"
          aria-label={t().branches.position(known().at + 1, known().sessions.length)}
          ref={group}
        >
          <IconButton
            icon="chevron"
            label={t().branches.previous}
            hasTooltip
            class="back"
            disabled={known().at === 0}
            onClick={() => go(-1)}
          />
          <span aria-hidden="true">{`${known().at + 1}/${known().sessions.length}`}</span>
          <IconButton
            icon="chevron"
            label={t().branches.next}
            hasTooltip
            disabled={known().at === known().sessions.length - 1}
            onClick={() => go(1)}
          />
        </fieldset>
      )}
    </Show>
  );
}

/** The same button again, or the other one where it can go no further. */
function focusIn(group: HTMLElement | undefined, step: Step): void {
  const [back, next] = group?.querySelectorAll("button") ?? [];
  const wanted = step === 1 ? [next, back] : [back, next];
  wanted.find((button) => button && !button.disabled)?.focus();
}
