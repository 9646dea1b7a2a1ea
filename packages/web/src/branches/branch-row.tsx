import { A } from "@solidjs/router";
import { For, Show } from "solid-js";
import { t } from "../app/strings/language.ts";
import type { Branch } from "./family.ts";

/** What the rows of a tree know in common. */
export interface TreeContent {
  readonly current: string;
  readonly openings: ReadonlyMap<string, string>;
  readonly chosen: readonly string[];
  readonly onChoose: (id: string, isChosen: boolean) => void;
}

/** A branch in the tree, with those that were forked from it below. */
export function BranchRow(props: { branch: Branch; tree: TreeContent }) {
  const member = () => props.branch.member;
  const said = () => props.tree.openings.get(member().id) ?? (member().parentId ? "" : member().title);
  const kind = () => {
    const reason = member().origin?.reason;
    return reason === undefined ? undefined : t().branches.reason[reason];
  };
  const facts = () => {
    const { agent, messageCount } = member().metadata;
    const when = new Date(member().updatedAt).toLocaleString(document.documentElement.lang, {
      ...{ dateStyle: "medium", timeStyle: "short" },
    });
    return [...(agent === undefined ? [] : [agent]), t().branches.messages(messageCount), when].join(" · ");
  };
  return (
    <li>
      <div class="branch-row" classList={{ here: member().id === props.tree.current }}>
        <input
          type="checkbox"
          aria-label={t().branches.choose(said() || t().branches.nothingYet)}
          checked={props.tree.chosen.includes(member().id)}
          onChange={(event) => props.tree.onChoose(member().id, event.currentTarget.checked)}
        />
        <A
          href={`/${member().id}`}
          class="branch-link"
          aria-current={member().id === props.tree.current ? "true" : undefined}
        >
          <span class="branch-said">
            <Show when={kind()}>{(words) => <span class="tag">{words()}</span>}</Show>
            <Show when={said()} fallback={<span class="muted">{t().branches.nothingYet}</span>}>
              {(words) => <bdi>{words()}</bdi>}
            </Show>
          </span>
          <span class="muted small">{facts()}</span>
        </A>
      </div>
      <Show when={props.branch.forks.length > 0}>
        <ul>
          <For each={props.branch.forks}>{(fork) => <BranchRow branch={fork} tree={props.tree} />}</For>
        </ul>
      </Show>
    </li>
  );
}
