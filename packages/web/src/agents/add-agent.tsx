import type { Agent, NewAgent } from "@parley/client";
import { createSignal, onMount, Show } from "solid-js";
import { reasonOf } from "../app/loaded.ts";
import { useParley } from "../app/parley.ts";
import { t } from "../app/strings/language.ts";
import { CheckedAgent } from "./checked-agent.tsx";
import { CredentialFields } from "./credential-fields.tsx";
import { credentialsFrom, type Secrets } from "./credentials.ts";

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
              {t().agentsPage.failure(reason())}
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
            {t().agentsPage.cancel}
          </button>
        </footer>
      </form>
    </dialog>
  );
}
