import { A, useNavigate, useParams } from "@solidjs/router";
import { createEffect, createMemo, createSignal, For, Show } from "solid-js";
import { t } from "../app/strings/language.ts";
import { BranchRow, type TreeContent } from "./branch-row.tsx";
import { createBranches } from "./branches.ts";
import { treeOf } from "./family.ts";
import { createOpenings } from "./openings.ts";
import "./branches-page.css";

/** As many as fit beside each other. */
const MOST_COMPARED = 4;

/** The tree of a conversation's branches, from which some can be chosen to be compared. */
export default function BranchesPage() {
  const params = useParams<{ session: string }>();
  const navigate = useNavigate();
  const branches = createBranches(() => params.session);
  const openings = createOpenings(branches.family);
  const [chosen, setChosen] = createSignal<readonly string[]>([]);
  const trees = createMemo(() => treeOf(branches.family()));
  createEffect(() => {
    document.title = `${t().branches.title} · Parley`;
  });
  const tree: TreeContent = {
    get current() {
      return params.session;
    },
    get openings() {
      return openings.words();
    },
    get chosen() {
      return chosen();
    },
    onChoose: (id, isChosen) =>
      setChosen((before) => [...before.filter((each) => each !== id), ...(isChosen ? [id] : [])]),
  };
  const canCompare = () => chosen().length >= 2 && chosen().length <= MOST_COMPARED;
  const compare = () => {
    const [first, ...others] = chosen();
    if (canCompare()) navigate(`/${first}/compare?with=${others.join(",")}`);
  };
  return (
    <div class="plain-page branches-page">
      <A href={`/${params.session}`} class="back-link">
        {t().branches.back}
      </A>
      <h1>{t().branches.title}</h1>
      <p class="muted">{t().branches.hint}</p>
      <Show when={branches.trouble() ?? openings.trouble()}>
        {(reason) => <p class="warning">{t().branches.trouble(reason())}</p>}
      </Show>
      <ul class="branch-tree" aria-label={t().branches.title}>
        <For each={trees()}>{(branch) => <BranchRow branch={branch} tree={tree} />}</For>
      </ul>
      <div class="branches-foot">
        <button type="button" class="button primary" disabled={!canCompare()} onClick={compare}>
          {t().branches.compareChosen}
        </button>
        <A href={`/${params.session}/compare`} class="button">
          {t().branches.compareAgents}
        </A>
      </div>
    </div>
  );
}
