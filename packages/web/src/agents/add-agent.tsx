import type { Agent, NewAgent } from "@parley/client";
import { createSignal, For, Match, onMount, Show, Switch } from "solid-js";
import { reasonOf } from "../app/loaded.ts";
import { useParley } from "../app/parley.ts";
import { t } from "../app/strings/language.ts";
import { AgentState } from "./agent-state.tsx";
import { credentialsFrom, type Scheme, type Secrets } from "./credentials.ts";
import { FindingsList } from "./findings-list.tsx";

/** Adds an agent by its URL: looks first, shows what was found and what is wrong with it, and then lets it be added. */
export function AddAgent(props: { onClose: () => void; onAdded: (agent: Agent) => void }) {
  const { client } = useParley();
  const [url, setUrl] = createSignal("");
  const [name, setName] = createSignal("");
  const [entered, setEntered] = createSignal<Readonly<Record<string, Secrets>>>({});
  const [checked, setChecked] = createSignal<Agent>();
  const [isBusy, setBusy] = createSignal(false);
  const [failure, setFailure] = createSignal<string>();
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
  const busy = async (work: () => Promise<void>) => {
    setBusy(true);
    setFailure(undefined);
    await work().catch((error: unknown) => setFailure(reasonOf(error)));
    setBusy(false);
  };
  const check = () => busy(async () => void setChecked((await client.checkAgent(asked())).agent));
  const save = () =>
    busy(async () => {
      props.onAdded((await client.addAgent(asked())).agent);
      setEntered({});
      dialog?.close();
    });
  return (
    <dialog ref={dialog} class="sheet add-agent" aria-labelledby="add-agent" onClose={props.onClose}>
      <h2 id="add-agent">{t().agentsPage.add}</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void check();
        }}
      >
        <label class="field">
          <span>{t().agentsPage.url}</span>
          <input
            type="url"
            required
            placeholder="https://agent.example"
            value={url()}
            onInput={(event) => {
              setUrl(event.currentTarget.value);
              setChecked(undefined);
            }}
          />
          <span class="muted small">{t().agentsPage.urlHint}</span>
        </label>
        <label class="field">
          <span>{t().agentsPage.name}</span>
          <input
            pattern="[a-z0-9_\-]{1,64}"
            title="a-z, 0-9, _ -"
            value={name()}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
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
        <Show when={failure()}>
          {(reason) => (
            <p class="agent-trouble small" role="alert">
              {t().app.failed(reason())}
            </p>
          )}
        </Show>
        <footer class="agent-actions">
          <button type="submit" class="button" classList={{ primary: !checked() }} disabled={isBusy()}>
            {isBusy() ? t().agentsPage.checking : t().agentsPage.check}
          </button>
          <Show when={checked()}>
            {(agent) => (
              <button type="button" class="button primary" disabled={isBusy()} onClick={() => void save()}>
                {agent().state === "up" ? t().agentsPage.save : t().agentsPage.saveAnyway}
              </button>
            )}
          </Show>
          <button type="button" class="button" onClick={() => dialog?.close()}>
            {t().app.cancel}
          </button>
        </footer>
      </form>
    </dialog>
  );
}

/** What was found at an address before it is added: who is there, and what the validator says of its card. */
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
      <Show when={props.agent.trouble}>{(text) => <p class="agent-trouble small">{text()}</p>}</Show>
      <Show
        when={props.agent.findings}
        fallback={
          <Show when={props.agent.state === "up"}>
            <p class="small agent-fine">{t().agentsPage.noFindings}</p>
          </Show>
        }
      >
        {(findings) => <FindingsList findings={findings()} />}
      </Show>
    </section>
  );
}

/** Fields for what an agent wants as proof; what is entered goes to the server and never comes back. */
function CredentialFields(props: {
  schemes: readonly Scheme[];
  entered: Readonly<Record<string, Secrets>>;
  onEnter: (name: string, secrets: Secrets) => void;
}) {
  const field = (scheme: Scheme, part: keyof Secrets, words: string, type: "text" | "password") => (
    <label class="field">
      <span>
        {scheme.name}: {words}
      </span>
      <input
        type={type}
        autocomplete="off"
        value={props.entered[scheme.name]?.[part] ?? ""}
        onInput={(event) =>
          props.onEnter(scheme.name, {
            ...props.entered[scheme.name],
            [part]: event.currentTarget.value,
          })
        }
      />
    </label>
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
