import type { Share } from "@parley/client";
import { createSignal, For, Show } from "solid-js";
import { SERVER_URL } from "../app/base-path.ts";
import { CopyButton } from "../app/copy-button.tsx";
import { Icon } from "../app/icon.tsx";
import { useParley } from "../app/parley.ts";
import { t } from "../app/strings/language.ts";
import "./people.css";

/** The address of the page that a link opens: what is behind # is never sent to a server. */
function addressOf(token: string): string {
  return `${SERVER_URL}/s/shared#${token}`;
}

/** In the head of a conversation: links by which others read it, to be made, copied and revoked. */
export function ShareButton(props: { sessionId: string }) {
  const { client } = useParley();
  const [shares, setShares] = createSignal<readonly Share[]>([]);
  /** A token is told once: only links made on this page can be copied. */
  const [tokens, setTokens] = createSignal<ReadonlyMap<string, string>>(new Map());
  const [trouble, setTrouble] = createSignal<string>();
  let dialog: HTMLDialogElement | undefined;
  const words = () => t().people;
  const work = async (change: () => Promise<unknown>) => {
    setTrouble(undefined);
    try {
      await change();
      setShares((await client.listShares(props.sessionId)).shares);
    } catch (error) {
      setTrouble(error instanceof Error ? error.message : String(error));
    }
  };
  const make = () =>
    work(async () => {
      const { share } = await client.makeShare(props.sessionId);
      setTokens((before) => new Map([...before, [share.id, share.token]]));
    });
  const open = () => {
    dialog?.showModal();
    void work(async () => {});
  };
  const time = (share: Share) => new Date(share.createdAt).toLocaleString(document.documentElement.lang);
  return (
    <>
      <button
        type="button"
        class="quiet-button"
        aria-label={words().share}
        title={words().share}
        onClick={open}
      >
        <Icon name="share" />
      </button>
      <dialog ref={dialog} class="sheet share-sheet" aria-labelledby="share-title" closedby="any">
        <h2 id="share-title">{words().share}</h2>
        <p class="muted">{words().shareHint}</p>
        <ul class="share-list" aria-label={words().links}>
          <For each={shares()} fallback={<li class="muted">{words().noLinks}</li>}>
            {(share) => (
              <li>
                <span class="share-made">{words().made(time(share))}</span>
                <Show when={tokens().get(share.id)}>
                  {(token) => (
                    <>
                      <input readOnly aria-label={words().link} value={addressOf(token())} />
                      <CopyButton label={words().copyLink} text={() => addressOf(token())} />
                    </>
                  )}
                </Show>
                <button
                  type="button"
                  class="quiet-button"
                  onClick={() => void work(() => client.revokeShare(props.sessionId, share.id))}
                >
                  <Icon name="cross" />
                  {words().revoke}
                </button>
              </li>
            )}
          </For>
        </ul>
        <p class="people-trouble" role="alert">
          {trouble()}
        </p>
        <div class="share-actions">
          <button type="button" class="button primary" onClick={() => void make()}>
            {words().makeLink}
          </button>
          <button type="button" class="button" onClick={() => dialog?.close()}>
            {t().app.close}
          </button>
        </div>
      </dialog>
    </>
  );
}
