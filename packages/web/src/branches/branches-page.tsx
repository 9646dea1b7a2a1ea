import type { ApiClient } from "@parley/client";
import { A, useNavigate, useParams } from "@solidjs/router";
import { type Accessor, createEffect, createMemo, createSignal, For, on, onCleanup, Show } from "solid-js";
import { Alert } from "../app/alert.tsx";
import { Button } from "../app/button.tsx";
import { reasonOf } from "../app/loaded.ts";
import { setPageTitle } from "../app/page-title.ts";
import { useParley } from "../app/parley.ts";
import { shownTime, t } from "../app/strings/language.ts";
import { createBranches } from "./branches.ts";
import { type Branch, type Family, type Member, treeOf } from "./family.ts";
import "./branches-page.css";

const MAX_COMPARED = 4;

/** The tree of a conversation's branches, from which some can be chosen to be compared. */
export default function BranchesPage() {
  const params = useParams<{ session: string }>();
  const navigate = useNavigate();
  const branches = createBranches(() => params.session);
  const openings = createOpenings(branches.family);
  const [chosen, setChosen] = createSignal<readonly string[]>([]);
  const trees = createMemo(() => treeOf(branches.family()));
  setPageTitle(() => t().branches.title);
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
  const canCompare = () => chosen().length >= 2 && chosen().length <= MAX_COMPARED;
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
      <Alert reason={branches.trouble() ?? openings.trouble()} text={t().branches.trouble} />
      <ul class="branch-tree" aria-label={t().branches.title}>
        <For each={trees()}>{(branch) => <BranchRow branch={branch} tree={tree} />}</For>
      </ul>
      <div class="branches-foot">
        <Button
          kind="primary"
          label={t().branches.compareChosen}
          disabled={!canCompare()}
          onClick={compare}
        />
        <A href={`/${params.session}/compare`} class="button">
          {t().branches.compareAgents}
        </A>
      </div>
    </div>
  );
}

interface TreeContent {
  readonly current: string;
  readonly openings: ReadonlyMap<string, string>;
  readonly chosen: readonly string[];
  readonly onChoose: (id: string, isChosen: boolean) => void;
}

function BranchRow(props: { branch: Branch; tree: TreeContent }) {
  const member = () => props.branch.member;
  const said = () => props.tree.openings.get(member().id) ?? (member().parentId ? "" : member().title);
  const kind = () => {
    const reason = member().origin?.reason;
    return reason === undefined ? undefined : t().branches.reason[reason];
  };
  const facts = () => {
    const { agent, messageCount } = member().metadata;
    const when = shownTime(member().updatedAt);
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

/** A fork begins with the shared messages between two events; its own follow. */
const FRAME = 2;
const MAX_EVENTS = 3;

/** Loads the first own message of each session, which distinguishes branches with the same title. */
function createOpenings(family: Accessor<Family>) {
  const { client } = useParley();
  const [words, setWords] = createSignal<ReadonlyMap<string, string>>(new Map());
  const [trouble, setTrouble] = createSignal<string>();
  createEffect(
    on(family, async (members) => {
      const abort = new AbortController();
      onCleanup(() => abort.abort());
      try {
        for (const member of members.values()) {
          // A fork whose origin is not known yet comes again when it is.
          if (words().has(member.id) || (member.parentId !== undefined && !member.origin)) continue;
          const opening = await firstWords(client, member, abort.signal);
          if (opening !== undefined) setWords((before) => new Map(before).set(member.id, opening));
        }
        setTrouble(undefined);
      } catch (error) {
        if (!abort.signal.aborted) setTrouble(reasonOf(error));
      }
    }),
  );
  return { words, trouble };
}

async function firstWords(
  client: ApiClient,
  { id, origin }: Member,
  signal: AbortSignal,
): Promise<string | undefined> {
  const cursor = origin ? origin.messages + FRAME : 0;
  const { events } = await client.listEvents(id, { cursor: String(cursor), limit: MAX_EVENTS }, { signal });
  const first = events.find((event) => event.type === "user_message");
  return first?.payload.content;
}
