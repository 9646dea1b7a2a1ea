import type { Agent } from "@parley/client";
import { useNavigate, useSearchParams } from "@solidjs/router";
import { createSignal, For, Show } from "solid-js";
import { Alert } from "../app/alert.tsx";
import { Button } from "../app/button.tsx";
import { createLoaded, reasonOf } from "../app/loaded.ts";
import { setPageTitle } from "../app/page-title.ts";
import { useParley } from "../app/parley.ts";
import { sessionName } from "../app/session-name.ts";
import { t } from "../app/strings/language.ts";
import { showToast } from "../app/toasts.ts";
import { newSessionConfig } from "../settings/default-budget.ts";
import { AddAgent } from "./add-agent.tsx";
import { type AgentActions, AgentCard } from "./agent-card.tsx";
import "./agents-page.css";

const LOOK_EVERY_MS = 10_000;
const MAX_AGENTS = 200;

/** The agents that are known here. */
export default function AgentsPage() {
  const { client } = useParley();
  const [isAdding, setAdding] = createSignal(false);
  const talkTo = useTalkTo();
  const loaded = createLoaded(
    async (signal) => (await client.listAgents({ limit: MAX_AGENTS }, { signal })).agents,
    { everyMs: LOOK_EVERY_MS },
  );
  const names = () => (loaded.value() ?? []).map(({ name }) => name);
  const agent = (name: string) => loaded.value()?.find((each) => each.name === name);
  setPageTitle(() => t().app.agents);
  const act = (work: () => Promise<unknown>) =>
    void work()
      .catch((error: unknown) => showToast({ text: t().app.failed(reasonOf(error)) }))
      .then(loaded.reload);
  const actions: AgentActions = {
    talk: talkTo.begin,
    setEnabled: (name, enabled) => act(() => client.changeAgent(name, { enabled })),
    recheck: (name) => act(() => client.recheckAgent(name)),
    remove: (name) =>
      act(async () => {
        await client.removeAgent(name);
        const undo = () => act(() => client.restoreAgent(name));
        showToast({ text: t().agentsPage.removed(name), action: { label: t().app.undo, run: undo } });
      }),
  };
  const conversation = talkTo.conversation;
  const talkLabel = () => {
    const found = conversation();
    return found ? t().agentsPage.talkIn(found.title) : t().agentsPage.talk;
  };
  return (
    <div class="plain-page agents-page">
      <header class="page-head">
        <h1>{t().app.agents}</h1>
        <Button label={t().agentsPage.add} onClick={() => setAdding(true)} icon="plus" />
      </header>
      <p class="muted">
        {conversation() ? t().agentsPage.choose(conversation()?.title ?? "") : t().agentsPage.hint}
      </p>
      <Alert class="bad small" reason={loaded.failure()} text={t().app.failed} />
      <Show when={loaded.value()} fallback={<Show when={!loaded.failure()}>{t().app.loading}</Show>}>
        <div class="agent-list">
          <Show when={conversation()}>
            <SupervisorCard
              label={talkLabel()}
              isCurrent={conversation()?.agent === "supervisor"}
              onTalk={() => talkTo.begin("supervisor")}
            />
          </Show>
          <For each={names().filter((name, at, all) => all.indexOf(name) === at)}>
            {(name) => (
              <Show when={agent(name)}>
                {(found: () => Agent) => (
                  <AgentCard
                    agent={found()}
                    talkLabel={talkLabel()}
                    isCurrent={conversation()?.agent === name}
                    actions={actions}
                  />
                )}
              </Show>
            )}
          </For>
        </div>
      </Show>
      <Show when={isAdding()}>
        <AddAgent onClose={() => setAdding(false)} onAdded={() => void loaded.reload()} />
      </Show>
    </div>
  );
}

function SupervisorCard(props: { label: string; isCurrent: boolean; onTalk: () => void }) {
  return (
    <article class="agent-card" aria-labelledby="agent-supervisor">
      <header class="agent-head">
        <h2 id="agent-supervisor">supervisor</h2>
        <Show when={props.isCurrent}>
          <span class="small agent-current">{t().agentsPage.current}</span>
        </Show>
      </header>
      <p>{t().conversation.welcomeHint}</p>
      <footer class="agent-actions">
        <Button kind="primary" label={props.label} onClick={props.onTalk} />
      </footer>
    </article>
  );
}

/** Starts a chat with an agent, in the conversation that `?for=` names or else in a new one. */
function useTalkTo() {
  const { engine, state } = useParley();
  const navigate = useNavigate();
  const [search] = useSearchParams<{ for?: string }>();
  const session = () => (search.for === undefined ? undefined : state().list.sessions[search.for]);
  return {
    conversation() {
      const found = session();
      return (
        found && { title: sessionName(found, t().app.untitled), agent: found.metadata.agent ?? "supervisor" }
      );
    },
    begin(agent: string) {
      const found = session();
      if (found) engine.change(found.id, { agent });
      navigate(`/${found?.id ?? engine.create({ agent, ...newSessionConfig() })}`);
    },
  };
}
