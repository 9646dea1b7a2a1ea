import type { Agent } from "@parley/client";
import { For, Show } from "solid-js";
import { Button } from "../app/button.tsx";
import { Disclosure } from "../app/disclosure.tsx";
import { language, t } from "../app/strings/language.ts";
import { AgentState } from "./agent-state.tsx";
import { figuresOf } from "./figures.ts";
import { FindingsList } from "./findings-list.tsx";

/** What can be done to an agent. */
export interface AgentActions {
  talk(name: string): void;
  setEnabled(name: string, enabled: boolean): void;
  recheck(name: string): void;
  remove(name: string): void;
}

/** An agent of the registry with its state, statistics and actions. */
export function AgentCard(props: {
  agent: Agent;
  talkLabel: string;
  isCurrent: boolean;
  actions: AgentActions;
}) {
  const agent = () => props.agent;
  const name = () => props.agent.name;
  return (
    <article class="agent-card" aria-labelledby={`agent-${name()}`} classList={{ off: !agent().enabled }}>
      <header class="agent-head">
        <h2 id={`agent-${name()}`}>{name()}</h2>
        <AgentState agent={agent()} />
        <Show when={agent().hosted}>
          <span class="muted small">{t().agentsPage.hosted}</span>
        </Show>
        <Show when={props.isCurrent}>
          <span class="small agent-current">{t().agentsPage.current}</span>
        </Show>
      </header>
      <Show when={agent().description}>{(text) => <p>{text()}</p>}</Show>
      <Show when={agent().trouble}>{(text) => <p class="bad small">{text()}</p>}</Show>
      <Show when={(agent().skills?.length ?? 0) > 0}>
        <ul class="skills" aria-label={t().agentsPage.skills}>
          <For each={agent().skills}>{(skill) => <li title={skill.tags.join(", ")}>{skill.name}</li>}</For>
        </ul>
      </Show>
      <AgentStatistics agent={agent()} />
      <Disclosure summary={<span class="small muted">{t().agentsPage.details}</span>}>
        <dl class="details">
          <dt>{t().agentsPage.address}</dt>
          <dd>{agent().url || "–"}</dd>
          <Show when={agent().negotiated}>
            {(spoken) => (
              <>
                <dt>{t().agentsPage.spoken}</dt>
                <dd>
                  A2A {spoken().dialect}, {spoken().binding}, {t().agentsPage.delivery[spoken().delivery]}
                </dd>
              </>
            )}
          </Show>
          <dt>{t().agentsPage.credentials}</dt>
          <dd>{agent().hasCredentials ? t().agentsPage.kept : t().agentsPage.none}</dd>
        </dl>
        <Show when={agent().findings} fallback={<p class="muted small">{t().agentsPage.noFindings}</p>}>
          {(findings) => <FindingsList findings={findings()} />}
        </Show>
      </Disclosure>
      <footer class="agent-actions">
        <Button
          kind="primary"
          label={props.talkLabel}
          disabled={!agent().enabled}
          onClick={() => props.actions.talk(name())}
        />
        <Button
          label={agent().enabled ? t().agentsPage.disable : t().agentsPage.enable}
          onClick={() => props.actions.setEnabled(name(), !agent().enabled)}
        />
        <Show when={agent().enabled}>
          <Button label={t().agentsPage.recheck} onClick={() => props.actions.recheck(name())} />
        </Show>
        <Show when={agent().added}>
          <Button label={t().app.remove} onClick={() => props.actions.remove(name())} />
        </Show>
      </footer>
    </article>
  );
}

function AgentStatistics(props: { agent: Agent }) {
  return (
    <Show when={props.agent.statistics} fallback={<p class="muted small">{t().agentsPage.notYet}</p>}>
      {(statistics) => (
        <dl class="figures" aria-label={t().agentsPage.statistics}>
          <For each={figuresOf(statistics(), language())}>
            {({ name, text }) => (
              <div>
                <dt>{t().agentsPage[name]}</dt>
                <dd>{text}</dd>
              </div>
            )}
          </For>
        </dl>
      )}
    </Show>
  );
}
