import "./shell.css";
import "./overlays.css";
import "./pages.css";
import { type RouteSectionProps, useLocation, useNavigate } from "@solidjs/router";
import {
  createEffect,
  createMemo,
  createSignal,
  ErrorBoundary,
  For,
  on,
  onCleanup,
  Show,
  Suspense,
} from "solid-js";
import { watchWaiting } from "../approvals/watch-waiting.ts";
import { PaletteHost } from "../search/palette-host.tsx";
import { SyncLines } from "../sync/sync-lines.tsx";
import { Button } from "./button.tsx";
import { connectionText } from "./connection-text.ts";
import { FailurePage } from "./failure-page.tsx";
import { IconButton } from "./icon.tsx";
import { keyNames, listenForShortcuts, onShortcut, SHORTCUTS, type Shortcut } from "./keys.ts";
import { createNow } from "./now.ts";
import { useParley } from "./parley.ts";
import { Sidebar } from "./sidebar.tsx";
import { t } from "./strings/language.ts";
import { dismissToast, toasts } from "./toasts.ts";

/** A short interruption is not worth a message. */
const NOTICE_DELAY_MS = 700;

const NARROW = matchMedia("(max-width: 800px)");

/** The frame around every page: sidebar, connection status, notices. */
export function Shell(props: RouteSectionProps) {
  const [isOpen, setOpen] = createSignal(!NARROW.matches);
  const navigate = useNavigate();
  const location = useLocation();
  listenForShortcuts();
  watchWaiting();
  onShortcut("toggleSidebar", () => setOpen((before) => !before));
  onShortcut("newConversation", () => navigate("/"));
  const onNarrow = () => setOpen(!NARROW.matches);
  NARROW.addEventListener("change", onNarrow);
  onCleanup(() => NARROW.removeEventListener("change", onNarrow));
  // On a narrow screen the sidebar covers the page that was just chosen in it.
  createEffect(
    on(
      () => location.pathname,
      () => NARROW.matches && setOpen(false),
      { defer: true },
    ),
  );
  return (
    <div class="shell" classList={{ "with-sidebar": isOpen() }}>
      <a class="skip" href="#content">
        {t().app.skipToContent}
      </a>
      <Sidebar onClose={() => setOpen(false)} isOpen={isOpen()} />
      <button
        type="button"
        class="veil"
        aria-label={t().app.closeSidebar}
        onClick={() => setOpen(false)}
        tabindex="-1"
      />
      <main id="content" class="content" tabindex="-1">
        <IconButton
          icon="sidebar"
          label={t().app.openSidebar}
          hasTooltip
          class="open-sidebar"
          onClick={() => setOpen(true)}
        />
        <ConnectionLine />
        <SyncLines />
        <ErrorBoundary fallback={(error) => <FailurePage error={error} />}>
          <Suspense fallback={<p class="quiet-page">{t().app.loading}</p>}>{props.children}</Suspense>
        </ErrorBoundary>
      </main>
      <ToastRegion />
      <KeysSheet />
      <PaletteHost />
    </div>
  );
}

function ConnectionLine() {
  const { state, nextTry } = useParley();
  const isLive = createMemo(() => state().connection === "live");
  const [isWorthAWord, setWorth] = createSignal(false);
  createEffect(() => {
    if (isLive()) return setWorth(false);
    const timer = setTimeout(() => setWorth(true), NOTICE_DELAY_MS);
    onCleanup(() => clearTimeout(timer));
  });
  const now = createNow(() => !isLive());
  const text = () => connectionText({ state: state(), nextTry: nextTry(), now: now() }, t().connection);
  return (
    <div role="status" class="connection-region">
      <Show when={isWorthAWord() && text()}>{(words) => <p class="connection-line">{words()}</p>}</Show>
    </div>
  );
}

function KeysSheet() {
  let dialog: HTMLDialogElement | undefined;
  const shortcuts: readonly Shortcut[] = Object.values(SHORTCUTS);
  onShortcut("help", () => dialog?.showModal());
  return (
    <dialog ref={dialog} class="sheet" aria-labelledby="keys-title" closedby="any">
      <h2 id="keys-title">{t().keys.title}</h2>
      <dl class="keys">
        <For each={shortcuts}>
          {(shortcut) => (
            <div>
              <dt>{t().keys[shortcut.label]}</dt>
              <dd>
                <For each={keyNames(shortcut.keys)}>{(name) => <kbd>{name}</kbd>}</For>
              </dd>
            </div>
          )}
        </For>
      </dl>
      <Button label={t().app.close} onClick={() => dialog?.close()} />
    </dialog>
  );
}

function ToastRegion() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      <For each={toasts()}>
        {(toast) => (
          <div class="toast">
            <span>{toast.text}</span>
            <Show when={toast.action}>
              {(action) => (
                <button
                  type="button"
                  class="toast-action"
                  onClick={() => {
                    action().run();
                    dismissToast(toast.id);
                  }}
                >
                  {action().label}
                </button>
              )}
            </Show>
            <IconButton icon="cross" label={t().app.dismiss} onClick={() => dismissToast(toast.id)} />
          </div>
        )}
      </For>
    </div>
  );
}
