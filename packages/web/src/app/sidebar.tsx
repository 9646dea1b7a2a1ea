import "./sidebar.css";
import { type Session, shownList } from "@parley/client";
import { A, useLocation, useNavigate } from "@solidjs/router";
import { createMemo, createSignal, createUniqueId, For, type JSX, Show, untrack } from "solid-js";
import { useInbox } from "../approvals/inbox.ts";
import { WhoLine } from "../people/who-line.tsx";
import { openPalette } from "../search/palette-host.tsx";
import { BASE_PATH } from "./base-path.ts";
import { type DayGroup, dayGroups } from "./day-groups.ts";
import { Icon, IconButton, type IconName } from "./icon.tsx";
import { keyNames, SHORTCUTS } from "./keys.ts";
import { createListMemo } from "./list-memo.ts";
import { useParley } from "./parley.ts";
import { sessionName, sessionWholeName } from "./session-name.ts";
import { t } from "./strings/language.ts";
import { showToast } from "./toasts.ts";

/** Deeper branches are not indented further: their names need the room. */
const MAX_DEPTH = 3;

function SessionRow(props: { session: Session | undefined; depth: number }) {
  const { engine } = useParley();
  const location = useLocation();
  const navigate = useNavigate();
  const [isRenaming, setRenaming] = createSignal(false);
  const menuId = createUniqueId();
  let menu: HTMLDivElement | undefined;
  const id = () => props.session?.id ?? "";
  const isBranch = () => props.session?.parentId !== undefined;
  const name = () => (props.session ? sessionName(props.session, t().app.untitled) : "");
  const title = () => props.session?.title || name();
  const wholeName = () => (props.session ? sessionWholeName(props.session, t()) : "");

  const remove = () => {
    const sessionId = id();
    menu?.hidePopover();
    showToast({
      text: t().sessions.deleted(name()),
      action: { label: t().app.undo, run: () => engine.restore(sessionId) },
    });
    if (location.pathname.endsWith(`/${sessionId}`)) navigate("/");
    engine.delete(sessionId);
  };
  const rename = (event: Event & { currentTarget: HTMLInputElement }) => {
    const chosen = event.currentTarget.value.trim();
    if (isRenaming() && chosen !== "" && chosen !== title()) engine.change(id(), { title: chosen });
    setRenaming(false);
  };

  return (
    <li class="session-row" style={{ "--depth": String(Math.min(props.depth, MAX_DEPTH)) }}>
      <Show
        when={!isRenaming()}
        fallback={
          <input
            class="rename"
            aria-label={t().sessions.title}
            // As it was when it began: what comes of the list meanwhile must not undo what is being written.
            value={untrack(title)}
            ref={(input) => queueMicrotask(() => input.select())}
            onBlur={rename}
            onKeyDown={(event) => {
              if (event.key === "Escape") setRenaming(false);
              else if (event.key === "Enter" && !event.isComposing) rename(event);
            }}
          />
        }
      >
        <A href={`/${id()}`} class="session-link" title={wholeName()}>
          <Show when={isBranch()}>
            <Icon name="branch" />
          </Show>
          <span>{name()}</span>
        </A>
        <button
          type="button"
          class="icon-button row-menu"
          popovertarget={menuId}
          aria-label={`${t().sessions.menu}: ${name()}`}
        >
          <Icon name="more" />
        </button>
        <div id={menuId} ref={menu} popover="auto" class="menu">
          <button
            type="button"
            onClick={() => {
              menu?.hidePopover();
              setRenaming(true);
            }}
          >
            {t().sessions.rename}
          </button>
          <button type="button" class="danger" onClick={remove}>
            {t().sessions.delete}
          </button>
        </div>
      </Show>
    </li>
  );
}

/** The list of conversations and the main navigation. */
export function Sidebar(props: { isOpen: boolean; onClose: () => void }) {
  const { state } = useParley();
  const sessions = createListMemo(() => shownList(state()).filter(({ status }) => status === "active"));
  const byId = createMemo(() => new Map(sessions().map((session) => [session.id, session])));
  const groups = createMemo(() => dayGroups(sessions(), new Date()));
  const rowsOf = (name: DayGroup["name"]) => groups().find((group) => group.name === name)?.rows ?? [];
  return (
    <nav class="sidebar" aria-label={t().app.sidebar} inert={!props.isOpen}>
      <div class="sidebar-head">
        <span class="brand">Parley</span>
        <IconButton icon="sidebar" label={t().app.closeSidebar} hasTooltip onClick={props.onClose} />
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
        <a href={`${BASE_PATH}/docs`} class="side-link" rel="external">
          <Icon name="question" />
          {t().docs.title}
        </a>
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

function InboxBadge() {
  const { open } = useInbox();
  return (
    <Show when={open().length > 0}>
      <span class="badge">
        <span aria-hidden="true">{open().length}</span>
        <span class="visually-hidden"> {t().approvals.waiting(open().length)}</span>
      </span>
    </Show>
  );
}
