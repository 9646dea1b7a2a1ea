// First, so that what components say of themselves comes after it.
import "./app/tokens.css";
import "./app/base.css";
import type { JSX } from "solid-js";
import { render } from "solid-js/web";
import { App } from "./app/app.tsx";
import { BASE_PATH } from "./app/base-path.ts";
import { startParley } from "./app/parley.ts";
import { t, useKnownLanguage } from "./app/strings/language.ts";
import { createInbox, InboxProvider } from "./approvals/inbox.ts";
import { whoAmI } from "./people/who.ts";

const SHARED = `${BASE_PATH}/s/shared`;
const DOCS = `${BASE_PATH}/docs`;

useKnownLanguage();
const app = document.getElementById("app") as HTMLElement;
// Usually nothing is shown until everything is loaded.
const slow = setTimeout(() => {
  app.textContent = t().app.opening;
}, 1_500);
const page = await pageHere();
clearTimeout(slow);
app.replaceChildren();
render(page, app);
keepShell();

/** The page at this address; shared links and the documentation need no login. */
async function pageHere(): Promise<() => JSX.Element> {
  if (location.pathname === SHARED) {
    const { default: SharedPage } = await import("./people/shared-page.tsx");
    return () => <SharedPage token={location.hash.slice(1)} />;
  }
  if (location.pathname === DOCS || location.pathname.startsWith(`${DOCS}/`)) {
    const { default: DocsApp } = await import("./docs/docs-app.tsx");
    return () => <DocsApp />;
  }
  const who = await whoAmI();
  if (!("me" in who)) {
    const { default: SignInPage } = await import("./people/sign-in-page.tsx");
    return () => <SignInPage reason={"reason" in who ? who.reason : undefined} />;
  }
  const parley = await startParley(who);
  return () => (
    <InboxProvider value={createInbox(parley)}>
      <App parley={parley} />
    </InboxProvider>
  );
}

/** Registers the service worker, which starts the client while the server is unreachable. */
function keepShell({ serviceWorker }: Navigator = navigator): void {
  // Pages that are not safe have none.
  if (!serviceWorker) return;
  const register = () =>
    serviceWorker
      .register(`${BASE_PATH}/s/worker.js`, { scope: `${BASE_PATH}/`, updateViaCache: "none" })
      .catch(() => {
        // A browser may keep nothing, as in private mode; then a page needs its server to start.
      });
  if ("requestIdleCallback" in window) requestIdleCallback(() => void register(), { timeout: 5_000 });
  else setTimeout(register, 1_000);
}
