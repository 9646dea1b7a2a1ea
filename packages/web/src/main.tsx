// First, so that what components say of themselves comes after it.
import "./app/tokens.css";
import "./app/base.css";
import { render } from "solid-js/web";
import { App } from "./app/app.tsx";
import { keepShell } from "./app/offline/keep-shell.ts";
import { startParley } from "./app/parley.ts";
import { t, useKnownLanguage } from "./app/strings/language.ts";
import { createInbox, InboxProvider } from "./approvals/inbox.ts";

useKnownLanguage();
const app = document.getElementById("app") as HTMLElement;
// As a rule there is nothing to be said before all is there.
const slow = setTimeout(() => {
  app.textContent = t().app.opening;
}, 1_500);
const parley = await startParley();
clearTimeout(slow);
app.replaceChildren();
render(
  () => (
    <InboxProvider value={createInbox(parley)}>
      <App parley={parley} />
    </InboxProvider>
  ),
  app,
);
keepShell();
