import { A } from "@solidjs/router";
import { createSignal, createUniqueId, For, Show } from "solid-js";
import { Button } from "../app/button.tsx";
import { useParley } from "../app/parley.ts";
import type { SessionView } from "../app/session-view.ts";
import { t } from "../app/strings/language.ts";
import { createAgentNames, SUPERVISOR } from "./agent-names.ts";
import "./agent-menu.css";

/** Shows and changes the agent of a conversation. */
export function AgentMenu(props: { view: SessionView }) {
  const { engine, state } = useParley();
  const menuId = createUniqueId();
  const [isOpen, setOpen] = createSignal(false);
  const agents = createAgentNames(isOpen);
  let menu: HTMLDivElement | undefined;
  const chosen = () => {
    const queued = state().queue.findLast(
      ({ command }) => command.type === "change" && command.sessionId === props.view.id() && command.agent,
    );
    const wanted = queued?.command.type === "change" ? queued.command.agent : undefined;
    return wanted ?? props.view.shown()?.agent ?? SUPERVISOR;
  };
  const choose = (agent: string) => {
    menu?.hidePopover();
    if (agent !== chosen()) engine.change(props.view.id(), { agent });
  };
  return (
    <div class="agent-menu">
      <Button
        kind="quiet"
        class="agent-button"
        popovertarget={menuId}
        tip={t().branches.agentMenu(chosen())}
        icon="agents"
      >
        <span class="agent-name">{chosen()}</span>
      </Button>
      <div
        id={menuId}
        ref={menu}
        popover="auto"
        class="menu agent-choices"
        onToggle={(event) => setOpen(event.newState === "open")}
      >
        <Show when={agents()} fallback={<p class="muted small">{t().app.loading}</p>}>
          <For each={agents()}>
            {(name) => (
              <button type="button" aria-pressed={name === chosen()} onClick={() => choose(name)}>
                {name}
              </button>
            )}
          </For>
        </Show>
        <A href={`/agents?for=${encodeURIComponent(props.view.id())}`} onClick={() => menu?.hidePopover()}>
          {t().branches.aboutAgents}
        </A>
        <A href={`/${props.view.id()}/compare`} onClick={() => menu?.hidePopover()}>
          {t().branches.compareAgents}
        </A>
      </div>
    </div>
  );
}
