import { useNavigate, useParams, useSearchParams } from "@solidjs/router";
import { type Accessor, createEffect, createMemo, lazy, on, onCleanup, Show, Suspense } from "solid-js";
import { setPageTitle } from "../app/page-title.ts";
import { useParley } from "../app/parley.ts";
import { sessionView } from "../app/session-view.ts";
import { t } from "../app/strings/language.ts";
import { showToast } from "../app/toasts.ts";
import { BranchesProvider, createBranches } from "../branches/branches.ts";
import { Conversation } from "./conversation.tsx";
import { MissingPage } from "./missing-page.tsx";
import "./conversation.css";

const Replay = lazy(() => import("../replay/replay.tsx"));
const ArtifactsPane = lazy(() => import("../artifacts/artifacts-pane.tsx"));

/** The page of one conversation. */
export function ConversationPage() {
  const { engine, state } = useParley();
  const params = useParams<{ session: string }>();
  const [search] = useSearchParams<{ event?: string; files?: string }>();
  const navigate = useNavigate();
  const id = () => params.session;
  const view = sessionView(state, id);
  const branches = createBranches(id);
  tellOfRefusedForks(id);
  createEffect(() => {
    const sessionId = id();
    void engine.open(sessionId);
    onCleanup(() => engine.close(sessionId));
  });
  // A retry or an edit continues in a fork: the page follows the engine there.
  const current = createMemo(() => state().current);
  createEffect(
    on(current, (now, before) => {
      if (now !== undefined && before === id() && now !== before) navigate(`/${now}`);
    }),
  );
  setPageTitle(view.title);
  return (
    <Show when={!view.shown()?.isGone} fallback={<MissingPage view={view} />}>
      <Show when={id()} keyed>
        <Show
          when={search.event === undefined}
          fallback={<Replay id={id()} liveIndex={view.shown()?.index ?? 0} />}
        >
          <BranchesProvider value={branches}>
            <div class="beside">
              <Conversation view={view} />
              <Show when={search.files}>
                {(runId) => (
                  <Suspense>
                    <ArtifactsPane view={view} runId={runId()} />
                  </Suspense>
                )}
              </Show>
            </div>
          </BranchesProvider>
        </Show>
      </Show>
    </Show>
  );
}

/** Reports refused forks and retries; a refused edit is reported by its editor. */
function tellOfRefusedForks(id: Accessor<string>): void {
  const { engine, state } = useParley();
  const queue = createMemo(() => state().queue);
  createEffect(() => {
    for (const { key, command, phase } of queue()) {
      const makesFork = command.type === "fork" || command.type === "retry";
      if (phase.name !== "refused" || !makesFork || command.sessionId !== id()) continue;
      showToast({ text: t().branches.refused(phase.refusal.message) });
      engine.discardCommand(key);
    }
  });
}
