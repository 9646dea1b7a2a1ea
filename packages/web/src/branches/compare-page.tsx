import "./compare-page.css";
import type { ApiFile } from "@parley/client";
import { A, useNavigate, useParams, useSearchParams } from "@solidjs/router";
import { createEffect, createMemo, createSignal, For, onCleanup, Show } from "solid-js";
import { Alert } from "../app/alert.tsx";
import { Button } from "../app/button.tsx";
import { Disclosure } from "../app/disclosure.tsx";
import { submitted } from "../app/fields.tsx";
import { createWork, reasonOf } from "../app/loaded.ts";
import { setPageTitle } from "../app/page-title.ts";
import { useParley } from "../app/parley.ts";
import { type SessionView, sessionView } from "../app/session-view.ts";
import { t } from "../app/strings/language.ts";
import { showToast } from "../app/toasts.ts";
import { Composer } from "../conversation/composer.tsx";
import { TimelineEntry } from "../conversation/timeline-entry.tsx";
import { createAgentNames } from "./agent-names.ts";
import { sharedItems } from "./shared-items.ts";

/** Several branches side by side, or, where none is named, the form that asks several agents one thing. */
export default function ComparePage() {
  const params = useParams<{ session: string }>();
  const [search] = useSearchParams<{ with: string }>();
  const compared = () => (search.with ? `${params.session},${search.with}` : undefined);
  setPageTitle(() => t().branches.compareTitle);
  return (
    <div class="compare-page">
      <header class="compare-head">
        <A href={`/${params.session}/branches`} class="back-link">
          {t().branches.title}
        </A>
        <h1>{t().branches.compareTitle}</h1>
      </header>
      <Show when={compared()} keyed fallback={<AgentsForm sessionId={params.session} />}>
        {(ids) => <Comparison ids={ids.split(",")} />}
      </Show>
    </div>
  );
}

function AgentsForm(props: { sessionId: string }) {
  const { client } = useParley();
  const navigate = useNavigate();
  const agents = createAgentNames(() => true);
  const [content, setContent] = createSignal("");
  const [chosen, setChosen] = createSignal<readonly string[]>([]);
  const { isBusy, failure, run } = createWork();
  const isReady = () => content().trim() !== "" && chosen().length >= 2 && !isBusy();
  const ask = async () => {
    if (!isReady()) return;
    await run(async () => {
      const comparison = { content: content(), agents: chosen(), branches: [] };
      const { children } = await client.compare(props.sessionId, comparison);
      const [first, ...others] = children.map(({ session }) => session.id);
      navigate(`/${first}/compare?with=${others.join(",")}`);
    });
  };
  return (
    <form class="agents-form" onSubmit={submitted(ask)}>
      <p class="muted">{t().branches.compareHint}</p>
      <label>
        {t().branches.prompt}
        <textarea rows="3" value={content()} onInput={(event) => setContent(event.currentTarget.value)} />
      </label>
      <fieldset class="choice">
        <legend>{t().app.agents}</legend>
        <For each={agents()}>
          {(name) => (
            <label>
              <input
                type="checkbox"
                onChange={(event) => {
                  const isChosen = event.currentTarget.checked;
                  setChosen((before) => [
                    ...before.filter((each) => each !== name),
                    ...(isChosen ? [name] : []),
                  ]);
                }}
              />
              {name}
            </label>
          )}
        </For>
      </fieldset>
      <Alert reason={failure()} text={t().conversation.refused} />
      <Button type="submit" kind="primary" label={t().branches.askAgents} disabled={!isReady()} />
    </form>
  );
}

/** Conversations side by side: first what they share, then each of them; a message goes to all. */
function Comparison(props: { ids: readonly string[] }) {
  const { engine, client, state } = useParley();
  const ids = [...new Set(props.ids.filter(Boolean))];
  const views = ids.map((id) => sessionView(state, () => id));
  const shared = createMemo(() => sharedItems(views));
  const common = () => views[0]?.timeline().slice(0, shared()) ?? [];
  const isOpen = createMemo(() => ids.every((id) => state().open[id] !== undefined));
  createEffect(() => {
    // A previous view may release one of them after we have acquired it.
    if (!isOpen()) for (const id of ids) void engine.openBeside(id);
  });
  onCleanup(() => {
    for (const id of ids) if (engine.state.current !== id) engine.close(id);
  });
  const ask = async (content: string, sent: readonly ApiFile[] = []) => {
    const files = sent.map(({ id }) => id);
    try {
      await client.compare(ids[0] ?? "", { content, files, agents: [], branches: ids });
    } catch (error) {
      showToast({ text: t().conversation.refused(reasonOf(error)) });
    }
  };
  const nameOf = (at: number) => t().branches.column(String.fromCodePoint(0x41 + at));
  return (
    <>
      <Show when={shared() > 0}>
        <div class="compare-common">
          <Disclosure summary={<span class="muted small">{t().branches.common(shared())}</span>}>
            <For each={common()}>
              {(item) => <Show when={views[0]}>{(view) => <TimelineEntry view={view()} item={item} />}</Show>}
            </For>
          </Disclosure>
        </div>
      </Show>
      <div class="compare-columns">
        <For each={views}>
          {(view, at) => <CompareColumn view={view} name={nameOf(at())} shared={shared()} />}
        </For>
      </div>
      <footer class="conversation-foot">
        <Composer draftKey={`compare/${ids.join(",")}`} placeholder={t().branches.askAll} onSend={ask} />
      </footer>
    </>
  );
}

function CompareColumn(props: { view: SessionView; name: string; shared: number }) {
  const agent = () => props.view.activeRun()?.agent ?? lastAgent(props.view) ?? props.view.shown()?.agent;
  const own = () => props.view.timeline().slice(props.shared);
  return (
    <section class="compare-column" aria-label={props.name}>
      <header>
        <h2>
          <span class="tag">{props.name}</span> {agent()}
        </h2>
        <A href={`/${props.view.id()}`} class="link-button">
          {t().branches.open}
        </A>
      </header>
      <Show when={!props.view.shown()?.isGone} fallback={<p class="muted">{t().sessions.missing}</p>}>
        <div class="compare-timeline" role="log" aria-live="off" aria-label={props.name} tabindex="0">
          <For each={own()} fallback={<p class="muted">{t().branches.nothingYet}</p>}>
            {(item) => <TimelineEntry view={props.view} item={item} />}
          </For>
        </div>
      </Show>
    </section>
  );
}

function lastAgent(view: SessionView): string | undefined {
  return Object.values(view.shown()?.runs ?? {}).at(-1)?.agent;
}
