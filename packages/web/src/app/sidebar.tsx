import { shownList } from "@parley/client";
import { A } from "@solidjs/router";
import { createMemo, For, type JSX, Show } from "solid-js";
import { InboxBadge } from "../approvals/inbox-badge.tsx";
import { WhoLine } from "../people/who-line.tsx";
import { openPalette } from "../search/palette-host.tsx";
import { type DayGroup, dayGroups } from "./day-groups.ts";
import { Icon, type IconName } from "./icon.tsx";
import { keyNames, SHORTCUTS } from "./keys.ts";
import { useParley } from "./parley.ts";
import { sameItems } from "./same-items.ts";
import { SessionRow } from "./session-row.tsx";
import { t } from "./strings/language.ts";
import "./sidebar.css";

/** The conversations that there are, and the way to everything else. */
export function Sidebar(props: { isOpen: boolean; onClose: () => void }) {
  const { state } = useParley();
  const sessions = createMemo(() => shownList(state()).filter(({ status }) => status === "active"), [], {
    equals: sameItems,
  });
  const byId = createMemo(() => new Map(sessions().map((session) => [session.id, session])));
  const groups = createMemo(() => dayGroups(sessions(), new Date()));
  const rowsOf = (name: DayGroup["name"]) => groups().find((group) => group.name === name)?.rows ?? [];
  return (
    <nav class="sidebar" aria-label={t().app.sidebar} inert={!props.isOpen}>
      <div class="sidebar-head">
        <span class="brand">Parley</span>
        <button
          type="button"
          class="icon-button"
          aria-label={t().app.closeSidebar}
          title={t().app.closeSidebar}
          onClick={props.onClose}
        >
          <Icon name="sidebar" />
        </button>
      </div>
      <div class="sidebar-links">
        <A href="/" end class="side-link">
          <Icon name="plus" />
          {t().app.newConversation}
        </A>
        <button type="button" class="side-link" onClick={openPalette}>
          <Icon name="search" />
          {t().app.search}
          <kbd>{keyNames(SHORTCUTS.search.keys).join(" ")}</kbd>
        </button>
      </div>
      <div class="session-list">
        <Show when={sessions().length > 0} fallback={<p class="side-hint">{t().app.noSessions}</p>}>
          {/* By what stays the same: a row that is clicked, renamed or has the focus is not to be made anew meanwhile. */}
          <For each={groups().map(({ name }) => name)}>
            {(name) => (
              <section>
                <h2>{t().app[name]}</h2>
                <ul>
                  <For each={rowsOf(name).map(({ id }) => id)}>
                    {(id, at) => (
                      <SessionRow session={byId().get(id)} depth={rowsOf(name)[at()]?.depth ?? 0} />
                    )}
                  </For>
                </ul>
              </section>
            )}
          </For>
        </Show>
      </div>
      <div class="sidebar-foot">
        <FootLink href="/inbox" icon="inbox" label={t().app.inbox} badge={<InboxBadge />} />
        <FootLink href="/agents" icon="agents" label={t().app.agents} />
        <FootLink href="/workspace" icon="workspace" label={t().app.workspace} />
        <FootLink href="/settings" icon="settings" label={t().app.settings} />
        <WhoLine />
      </div>
    </nav>
  );
}

function FootLink(props: { href: string; icon: IconName; label: string; badge?: JSX.Element }) {
  return (
    <A href={props.href} class="side-link">
      <Icon name={props.icon} />
      {props.label}
      {props.badge}
    </A>
  );
}
