import type { Agent, NewAgent } from "@parley/client";
import { createSignal, For, Match, onMount, Show, Switch } from "solid-js";
import { Alert } from "../app/alert.tsx";
import { Button } from "../app/button.tsx";
import { submitted, TextField } from "../app/fields.tsx";
import { createWork } from "../app/loaded.ts";
import { useParley } from "../app/parley.ts";
import { t } from "../app/strings/language.ts";
import { AgentState } from "./agent-state.tsx";
import { credentialsFrom, type Scheme, type Secrets } from "./credentials.ts";
import { FindingsList } from "./findings-list.tsx";

/** Adds an agent by its URL after a check that shows its card and what is wrong with it. */
export function AddAgent(props: { onClose: () => void; onAdded: (agent: Agent) => void }) {
  const { client } = useParley();
  const [url, setUrl] = createSignal("");
  const [name, setName] = createSignal("");
  const [entered, setEntered] = createSignal<Readonly<Record<string, Secrets>>>({});
  const [checked, setChecked] = createSignal<Agent>();
  const { isBusy, failure, run } = createWork();
  let dialog: HTMLDialogElement | undefined;
  onMount(() => dialog?.showModal());

  const asked = (): NewAgent => {
    const credentials = credentialsFrom(checked()?.schemes ?? [], entered());
    return {
      url: url().trim(),
      ...(name().trim() !== "" && { name: name().trim() }),
      ...(credentials && { credentials }),
    };
  };
  const check = () => run(async () => setChecked((await client.checkAgent(asked())).agent));
  const save = () =>
    run(async () => {
      props.onAdded((await client.addAgent(asked())).agent);
      setEntered({});
      dialog?.close();
    });
  return (
    <dialog ref={dialog} class="sheet add-agent" aria-labelledby="add-agent" onClose={props.onClose}>
      <h2 id="add-agent">{t().agentsPage.add}</h2>
      <form onSubmit={submitted(check)}>
        <TextField
          label={t().agentsPage.url}
          type="url"
          required
          placeholder="https://agent.example"
          value={url()}
          onText={(text) => {
            setUrl(text);
            setChecked(undefined);
          }}
        >
          <span class="muted small">{t().agentsPage.urlHint}</span>
        </TextField>
        <TextField
          label={t().agentsPage.name}
          pattern="[a-z0-9_\-]{1,64}"
          title="a-z, 0-9, _ -"
          value={name()}
          onText={setName}
        />
        <Show when={checked()?.schemes}>
          {(schemes) => (
            <CredentialFields
              schemes={schemes()}
              entered={entered()}
              onEnter={(scheme, secrets) => setEntered((before) => ({ ...before, [scheme]: secrets }))}
            />
          )}
        </Show>
        <Show when={checked()}>{(agent) => <CheckedAgent agent={agent()} />}</Show>
        <Alert class="bad small" reason={failure()} text={t().app.failed} />
        <footer class="agent-actions">
          <Button
            type="submit"
            classList={{ primary: !checked() }}
            label={isBusy() ? t().agentsPage.checking : t().agentsPage.check}
            disabled={isBusy()}
          />
          <Show when={checked()}>
            {(agent) => (
              <Button
                kind="primary"
                label={agent().state === "up" ? t().agentsPage.save : t().agentsPage.saveAnyway}
                disabled={isBusy()}
                onClick={() => void save()}
              />
            )}
          </Show>
          <Button label={t().app.cancel} onClick={() => dialog?.close()} />
        </footer>
      </form>
    </dialog>
  );
}

function CheckedAgent(props: { agent: Agent }) {
  return (
    <section class="checked-agent" role="status">
      <p class="agent-head">
        <strong>{props.agent.name}</strong>
        <AgentState agent={props.agent} />
        <Show when={props.agent.negotiated}>
          {(spoken) => (
            <span class="muted small">
              A2A {spoken().dialect}, {spoken().binding}
            </span>
          )}
        </Show>
      </p>
      <Show when={props.agent.description}>{(text) => <p class="small">{text()}</p>}</Show>
      <Show when={props.agent.trouble}>{(text) => <p class="bad small">{text()}</p>}</Show>
      <Show
        when={props.agent.findings}
        fallback={
          <Show when={props.agent.state === "up"}>
            <p class="small good">{t().agentsPage.noFindings}</p>
          </Show>
        }
      >
        {(findings) => <FindingsList findings={findings()} />}
      </Show>
    </section>
  );
}

/** Fields for an agent's credentials, which go to the server and never come back. */
function CredentialFields(props: {
  schemes: readonly Scheme[];
  entered: Readonly<Record<string, Secrets>>;
  onEnter: (name: string, secrets: Secrets) => void;
}) {
  const field = (scheme: Scheme, part: keyof Secrets, words: string, type: "text" | "password") => (
    <TextField
      label={`${scheme.name}: ${words}`}
      type={type}
      value={props.entered[scheme.name]?.[part] ?? ""}
      onText={(text) => props.onEnter(scheme.name, { ...props.entered[scheme.name], [part]: text })}
    />
  );
  return (
    <fieldset class="credential-fields">
      <legend class="small muted">{t().agentsPage.needs}</legend>
      <For each={props.schemes}>
        {(scheme) => (
          <Switch>
            <Match when={scheme.kind === "apiKey"}>
              {field(scheme, "first", t().agentsPage.apiKey, "password")}
            </Match>
            <Match when={scheme.kind === "bearer"}>
              {field(scheme, "first", t().agentsPage.bearer, "password")}
            </Match>
            <Match when={scheme.kind === "basic"}>
              {field(scheme, "first", t().agentsPage.basicUser, "text")}
              {field(scheme, "second", t().agentsPage.basicPassword, "password")}
            </Match>
            <Match when={scheme.kind === "other"}>
              <p class="small">{t().agentsPage.unsupported(scheme.name)}</p>
            </Match>
          </Switch>
        )}
      </For>
    </fieldset>
  );
}
