import type { Settings } from "@parley/client";
import { For, Show } from "solid-js";
import { Disclosure } from "../app/disclosure.tsx";
import { t } from "../app/strings/language.ts";

/** The MCP servers of every agent that runs here: how they are, why not if they are not well, and what they offer. */
export function ToolsSection(props: { agents: Settings["agents"] }) {
  return (
    <section class="settings-section" aria-labelledby="settings-tools">
      <h2 id="settings-tools">{t().settingsPage.tools}</h2>
      <p class="muted small">{t().settingsPage.toolsHint}</p>
      <For each={props.agents}>
        {(agent) => (
          <div class="settings-agent">
            <h3>
              {agent.name} <span class="muted small">{agent.model}</span>
            </h3>
            <For each={agent.troubles}>{(text) => <p class="settings-bad small">{text}</p>}</For>
            <Show when={agent.mcpServers.length === 0}>
              <p class="muted small">{t().settingsPage.noServers}</p>
            </Show>
            <For each={agent.mcpServers}>
              {({ server, state, reason, tools }) => (
                <div class="mcp-server" data-state={state}>
                  <Disclosure
                    summary={
                      <span>
                        {server} <span class="mcp-state small">{t().settingsPage.serverState[state]}</span>{" "}
                        <span class="muted small">{t().settingsPage.toolCount(tools.length)}</span>
                      </span>
                    }
                  >
                    <ul class="mcp-tools small">
                      <For each={tools}>{(tool) => <li>{tool}</li>}</For>
                    </ul>
                  </Disclosure>
                  <Show when={reason}>{(text) => <p class="settings-bad small">{text()}</p>}</Show>
                </div>
              )}
            </For>
          </div>
        )}
      </For>
    </section>
  );
}
