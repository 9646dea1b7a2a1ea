import { Route, Router } from "@solidjs/router";
import { ErrorBoundary, lazy } from "solid-js";
import { ConversationPage } from "../conversation/conversation-page.tsx";
import { FirstPage } from "../conversation/first-page.tsx";
import { BASE_PATH } from "./base-path.ts";
import { FailurePage } from "./failure-page.tsx";
import { NotFound } from "./not-found.tsx";
import { type Parley, ParleyProvider } from "./parley.ts";
import { Shell } from "./shell.tsx";
import { t } from "./strings/language.ts";

const BranchesPage = lazy(() => import("../branches/branches-page.tsx"));
const ComparePage = lazy(() => import("../branches/compare-page.tsx"));
const InboxPage = lazy(() => import("../approvals/inbox-page.tsx"));
const AgentsPage = lazy(() => import("../agents/agents-page.tsx"));
const SettingsPage = lazy(() => import("../settings/settings-page.tsx"));
const WorkspacePage = lazy(() => import("../people/workspace/workspace-page.tsx"));
const JoinPage = lazy(() => import("../people/workspace/join-page.tsx"));
const TracePage = lazy(() => import("../trace/trace-page.tsx"));

/** The client with all its routes. */
export function App(props: { parley: Parley }) {
  return (
    <ErrorBoundary fallback={(error) => <FailurePage error={error} />}>
      <ParleyProvider value={props.parley}>
        <Router base={`${BASE_PATH}/s`} root={Shell}>
          <Route path="/" component={FirstPage} />
          <Route path="/inbox" component={InboxPage} />
          <Route path="/agents" component={AgentsPage} />
          <Route path="/settings" component={SettingsPage} />
          <Route path="/workspace" component={WorkspacePage} />
          <Route path="/join/:workspace" component={JoinPage} />
          <Route path="/:session/trace/:run?" component={TracePage} />
          <Route path="/:session" component={ConversationPage} />
          <Route path="/:session/branches" component={BranchesPage} />
          <Route path="/:session/compare" component={ComparePage} />
          <Route path="*" component={() => <NotFound startLabel={t().app.backToStart} />} />
        </Router>
      </ParleyProvider>
    </ErrorBoundary>
  );
}
