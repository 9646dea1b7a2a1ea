import { useNavigate } from "@solidjs/router";
import { createSignal, For, Show } from "solid-js";
import { useParley } from "../app/parley.ts";
import { t } from "../app/strings/language.ts";
import { createAgentNames } from "./agent-names.ts";

/** Asks several agents the same thing, each in a branch of its own, and goes to look at their answers. */
export function AgentsForm(props: { sessionId: string }) {
  const { client } = useParley();
  const navigate = useNavigate();
  const agents = createAgentNames(() => true);
  const [content, setContent] = createSignal("");
  const [chosen, setChosen] = createSignal<readonly string[]>([]);
  const [trouble, setTrouble] = createSignal<string>();
  const [isAsking, setAsking] = createSignal(false);
  const isReady = () => content().trim() !== "" && chosen().length >= 2 && !isAsking();
  const ask = async () => {
    if (!isReady()) return;
    setAsking(true);
    try {
      const { children } = await client.compare(props.sessionId, {
        content: content(),
        agents: chosen(),
        branches: [],
      });
      const [first, ...others] = children.map(({ session }) => session.id);
      navigate(`/${first}/compare?with=${others.join(",")}`);
    } catch (error) {
      setTrouble(error instanceof Error ? error.message : String(error));
    } finally {
      setAsking(false);
    }
  };
  return (
    <form
      class="agents-form"
      onSubmit={(event) => {
        event.preventDefault();
        void ask();
      }}
    >
      <p class="muted">{t().branches.compareHint}</p>
      <label>
        {t().branches.prompt}
        <textarea rows="3" value={content()} onInput={(event) => setContent(event.currentTarget.value)} />
      </label>
      <fieldset class="choice">
        <legend>{t().app.agents}</legend>
        <For each={agents()}>
          {(name) => (
            <label>
              <input
                type="checkbox"
                onChange={(event) => {
                  const isChosen = event.currentTarget.checked;
                  setChosen((before) => [
                    ...before.filter((each) => each !== name),
                    ...(isChosen ? [name] : []),
                  ]);
                }}
              />
              {name}
            </label>
          )}
        </For>
      </fieldset>
      <Show when={trouble()}>
        {(reason) => (
          <p class="warning" role="alert">
            {t().conversation.refused(reason())}
          </p>
        )}
      </Show>
      <button type="submit" class="button primary" disabled={!isReady()}>
        {t().branches.askAgents}
      </button>
    </form>
  );
}
