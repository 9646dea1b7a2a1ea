// First, so that what components say of themselves comes after it.
import "./app/tokens.css";
import "./app/base.css";
import type { JSX } from "solid-js";
import { render } from "solid-js/web";
import { App } from "./app/app.tsx";
import { BASE_PATH } from "./app/base-path.ts";
import { keepShell } from "./app/offline/keep-shell.ts";
import { startParley } from "./app/parley.ts";
import { t, useKnownLanguage } from "./app/strings/language.ts";
import { createInbox, InboxProvider } from "./approvals/inbox.ts";
import { whoAmI } from "./people/who.ts";

const SHARED = `${BASE_PATH}/s/shared`;

useKnownLanguage();
const app = document.getElementById("app") as HTMLElement;
// As a rule there is nothing to be said before all is there.
const slow = setTimeout(() => {
  app.textContent = t().app.opening;
}, 1_500);
const page = await pageHere();
clearTimeout(slow);
app.replaceChildren();
render(page, app);
keepShell();

/** What the address shows: a link what it opens, whoever looks; all else the client, to whoever has said who they are. */
async function pageHere(): Promise<() => JSX.Element> {
  if (location.pathname === SHARED) {
    const { default: SharedPage } = await import("./people/shared-page.tsx");
    return () => <SharedPage token={location.hash.slice(1)} />;
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
