import { useNavigate } from "@solidjs/router";
import { createResource, For, Show } from "solid-js";
import { Button } from "../app/button.tsx";
import { useParley } from "../app/parley.ts";
import { loadUiState, saveUiState } from "../app/session-ui-state.ts";
import type { SessionView } from "../app/session-view.ts";
import { t } from "../app/strings/language.ts";
import { newSessionConfig } from "../settings/default-budget.ts";
import { withFiles } from "./outbox.ts";

/** Replaces a conversation that the server does not have; unsent messages and the draft can be rescued here. */
export function MissingPage(props: { view: SessionView }) {
  const parley = useParley();
  const { engine, state } = parley;
  const navigate = useNavigate();
  const isEmpty = () => props.view.timeline().every((item) => !item.startsWith("run/"));
  const [draft, { mutate }] = createResource(
    props.view.id,
    async (id) => (await loadUiState(parley, id)).draft,
  );
  const unsent = () => {
    const { messages = [], next = [] } = props.view.shown() ?? {};
    const pending = messages.flatMap(({ pending: entry, content, metadata }) =>
      entry ? [{ key: entry.key, content, files: metadata.files ?? [] }] : [],
    );
    return [...pending, ...next];
  };
  const sendAnew = ({ key, content, files }: ReturnType<typeof unsent>[number]) => {
    const sessionId = engine.create(newSessionConfig());
    // A server that was set up anew has not got the files either.
    engine.send(sessionId, content, state().isReset ? {} : withFiles(files));
    engine.discardCommand(key);
    navigate(`/${sessionId}`);
  };
  const takeDraft = (text: string) => {
    saveUiState(parley, props.view.id(), {});
    saveUiState(parley, "new", { draft: text });
    mutate(undefined);
    navigate("/");
  };
  return (
    <div class="notice-page">
      <h1>{isEmpty() || state().isReset ? t().sessions.missing : t().sessions.gone}</h1>
      <Show when={!isEmpty() && !state().isReset}>
        <Button label={t().sessions.restore} onClick={() => engine.restore(props.view.id())} />
      </Show>
      <Show when={unsent().length > 0 || draft()}>
        <h2>{t().sessions.unsent}</h2>
        <ul class="unsent">
          <For each={unsent()}>
            {(message) => (
              <li>
                <p>{message.content}</p>
                <Button kind="link" label={t().sessions.sendAnew} onClick={() => sendAnew(message)} />
                <Button
                  kind="link"
                  label={t().conversation.discard}
                  onClick={() => engine.discardCommand(message.key)}
                />
              </li>
            )}
          </For>
          <Show when={draft()}>
            {(text) => (
              <li>
                <p>{text()}</p>
                <Button kind="link" label={t().sessions.takeDraft} onClick={() => takeDraft(text())} />
              </li>
            )}
          </Show>
        </ul>
      </Show>
    </div>
  );
}
