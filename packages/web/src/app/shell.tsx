import { type RouteSectionProps, useLocation, useNavigate } from "@solidjs/router";
import { createEffect, createSignal, ErrorBoundary, on, onCleanup, Suspense } from "solid-js";
import { watchWaiting } from "../approvals/watch-waiting.ts";
import { PaletteHost } from "../search/palette-host.tsx";
import { SyncLines } from "../sync/sync-lines.tsx";
import { ConnectionLine } from "./connection-line.tsx";
import { FailurePage } from "./failure-page.tsx";
import { Icon } from "./icon.tsx";
import { listenForShortcuts, onShortcut } from "./keys.ts";
import { KeysSheet } from "./keys-sheet.tsx";
import { Sidebar } from "./sidebar.tsx";
import { t } from "./strings/language.ts";
import { ToastRegion } from "./toast-region.tsx";
import "./shell.css";
import "./overlays.css";
import "./pages.css";

const NARROW = matchMedia("(max-width: 800px)");

/** What is around every page: the conversations at the side, the connection above, notices below. */
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
        <button
          type="button"
          class="open-sidebar icon-button"
          aria-label={t().app.openSidebar}
          title={t().app.openSidebar}
          onClick={() => setOpen(true)}
        >
          <Icon name="sidebar" />
        </button>
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
