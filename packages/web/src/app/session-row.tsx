import type { Session } from "@parley/client";
import { A, useLocation, useNavigate } from "@solidjs/router";
import { createSignal, createUniqueId, Show, untrack } from "solid-js";
import { Icon } from "./icon.tsx";
import { useParley } from "./parley.ts";
import { sessionName, sessionWholeName } from "./session-name.ts";
import { t } from "./strings/language.ts";
import { showToast } from "./toasts.ts";

/** Deeper branches are not moved in any further: their names need the room. */
const MOST_DEPTH = 3;

/** One conversation of the list, with what can be done to it. */
export function SessionRow(props: { session: Session | undefined; depth: number }) {
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
    <li class="session-row" style={{ "--depth": String(Math.min(props.depth, MOST_DEPTH)) }}>
      <Show
        when={!isRenaming()}
        fallback={
          <input
            class="rename"
            aria-label={t().sessions.title}
            // As it was when it began: what comes of the list meanwhile must not undo what is being written.
            value={untrack(title)}
            ref={(input) => setTimeout(() => input.select())}
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
