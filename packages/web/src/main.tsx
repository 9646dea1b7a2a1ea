// First, so that what components say of themselves comes after it.
import "./app/tokens.css";
import "./app/base.css";
import { render } from "solid-js/web";
import { App } from "./app/app.tsx";
import { keepShell } from "./app/offline/keep-shell.ts";
import { startParley } from "./app/parley.ts";
import { useKnownLanguage } from "./app/strings/language.ts";
import { createInbox, InboxProvider } from "./approvals/inbox.ts";

useKnownLanguage();
const parley = await startParley();
render(
  () => (
    <InboxProvider value={createInbox(parley)}>
      <App parley={parley} />
    </InboxProvider>
  ),
  document.getElementById("app") as HTMLElement,
);
keepShell();
