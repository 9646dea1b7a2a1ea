import { createResource, createSignal, onCleanup, Show } from "solid-js";
import { BASE_PATH } from "../app/base-path.ts";
import { Button } from "../app/button.tsx";
import { submitted, TextField } from "../app/fields.tsx";
import { setPageTitle } from "../app/page-title.ts";
import { t } from "../app/strings/language.ts";
import { isThere, useKey, type Ways, waysToSignIn } from "./who.ts";
import "../app/pages.css";
import "./people.css";

const LOOK_EVERY_MS = 2_000;

/** The login page; without a reason the server is unreachable, and the page reloads as soon as it is back. */
export default function SignInPage(props: { reason: string | undefined }) {
  const [ways] = createResource((): Promise<Ways> => waysToSignIn());
  const [key, setKey] = createSignal("");
  const [trouble, setTrouble] = createSignal<string>();
  const [isTrying, setTrying] = createSignal(false);
  const words = () => t().people;
  const host = () => (ways.state === "ready" ? ways().provider?.host : undefined);
  const here = () => encodeURIComponent(location.pathname + location.search);
  const tryKey = async () => {
    setTrying(true);
    const outcome = await useKey(key().trim());
    setTrying(false);
    if (outcome === "taken") location.reload();
    else setTrouble(outcome === "refused" ? words().keyRefused : words().away);
  };
  if (props.reason === undefined) {
    const looking = setInterval(async () => {
      if (await isThere()) location.reload();
    }, LOOK_EVERY_MS);
    onCleanup(() => clearInterval(looking));
  }
  setPageTitle(() => words().signIn);
  return (
    <main class="notice-page sign-in">
      <h1>{words().signIn}</h1>
      <p class="muted" role={props.reason === undefined ? "status" : undefined}>
        {props.reason ?? words().awayNow}
      </p>
      <Show when={host()}>
        {(name) => (
          <a class="button primary" href={`${BASE_PATH}/auth/login?to=${here()}`} rel="external">
            {words().signInWith(name())}
          </a>
        )}
      </Show>
      <form class="key-form" onSubmit={submitted(tryKey)}>
        <TextField
          label={words().pasteKey}
          type="password"
          spellcheck={false}
          required
          aria-describedby="sign-in-key-hint"
          value={key()}
          onText={setKey}
        />
        <p id="sign-in-key-hint" class="muted small">
          {words().keyHint}
        </p>
        <Button type="submit" label={words().useKey} disabled={isTrying()} />
        <p class="bad" role="alert">
          {trouble()}
        </p>
      </form>
    </main>
  );
}
