import type { Share } from "@parley/client";
import { createSignal, For, Show } from "solid-js";
import { Alert } from "../app/alert.tsx";
import { SERVER_URL } from "../app/base-path.ts";
import { Button } from "../app/button.tsx";
import { CopyButton } from "../app/copy-button.tsx";
import { createWork } from "../app/loaded.ts";
import { useParley } from "../app/parley.ts";
import { shownTime, t } from "../app/strings/language.ts";
import "./people.css";

/** The token is in the fragment, which browsers never send to a server. */
function addressOf(token: string): string {
  return `${SERVER_URL}/s/shared#${token}`;
}

/** Creates, copies and revokes the share links of a conversation. */
export function ShareButton(props: { sessionId: string }) {
  const { client } = useParley();
  const [shares, setShares] = createSignal<readonly Share[]>([]);
  /** A token is shown once: only links created on this page can be copied. */
  const [tokens, setTokens] = createSignal<ReadonlyMap<string, string>>(new Map());
  const { run, failure } = createWork();
  let dialog: HTMLDialogElement | undefined;
  const words = () => t().people;
  const work = (change: () => Promise<unknown>) =>
    run(async () => {
      await change();
      setShares((await client.listShares(props.sessionId)).shares);
    });
  const make = () =>
    work(async () => {
      const { share } = await client.makeShare(props.sessionId);
      setTokens((before) => new Map([...before, [share.id, share.token]]));
    });
  const open = () => {
    dialog?.showModal();
    void work(async () => {});
  };
  return (
    <>
      <Button kind="quiet" tip={words().share} onClick={open} icon="share" />
      <dialog ref={dialog} class="sheet share-sheet" aria-labelledby="share-title" closedby="any">
        <h2 id="share-title">{words().share}</h2>
        <p class="muted">{words().shareHint}</p>
        <ul class="share-list" aria-label={words().links}>
          <For each={shares()} fallback={<li class="muted">{words().noLinks}</li>}>
            {(share) => (
              <li>
                <span class="share-made">{words().made(shownTime(share.createdAt))}</span>
                <Show when={tokens().get(share.id)}>
                  {(token) => (
                    <>
                      <input readOnly aria-label={words().link} value={addressOf(token())} />
                      <CopyButton label={words().copyLink} text={() => addressOf(token())} />
                    </>
                  )}
                </Show>
                <Button
                  kind="quiet"
                  label={words().revoke}
                  onClick={() => void work(() => client.revokeShare(props.sessionId, share.id))}
                  icon="cross"
                />
              </li>
            )}
          </For>
        </ul>
        <Alert class="bad" reason={failure()} text={t().app.failed} />
        <div class="share-actions">
          <Button kind="primary" label={words().makeLink} onClick={() => void make()} />
          <Button label={t().app.close} onClick={() => dialog?.close()} />
        </div>
      </dialog>
    </>
  );
}
