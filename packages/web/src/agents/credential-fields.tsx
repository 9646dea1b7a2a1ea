import { For, Match, Switch } from "solid-js";
import { t } from "../app/strings/language.ts";
import type { Scheme, Secrets } from "./credentials.ts";

/** Fields for what an agent wants as proof; what is entered goes to the server and never comes back. */
export function CredentialFields(props: {
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
