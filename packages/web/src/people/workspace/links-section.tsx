import { type OwnShare, shownList } from "@parley/client";
import { A } from "@solidjs/router";
import { createSignal, For, Show } from "solid-js";
import { Button } from "../../app/button.tsx";
import { createLoaded, createWork } from "../../app/loaded.ts";
import { useParley } from "../../app/parley.ts";
import { focusHeading, Section } from "../../app/section.tsx";
import { sessionName } from "../../app/session-name.ts";
import { shownTime, t } from "../../app/strings/language.ts";
import { ConfirmButton } from "./confirm-button.tsx";

const ID = "workspace-links";
const PAGE = 50;
const MAX_LINKS = 200;

/** All share links of the user. */
export function LinksSection() {
  const { client, state } = useParley();
  const [limit, setLimit] = createSignal(PAGE);
  const links = createLoaded((signal) => client.ownShares({ limit: limit() }, { signal }));
  const work = createWork();
  const words = () => t().workspacePage;
  const nameOf = ({ sessionId, title }: OwnShare) => {
    const session = shownList(state()).find(({ id }) => id === sessionId);
    return session ? sessionName(session, t().app.untitled) : title || t().app.untitled;
  };
  const revoke = async (share: OwnShare) => {
    await work.run(() => client.revokeShare(share.sessionId, share.id));
    await links.reload();
    focusHeading(ID);
  };
  return (
    <Section
      id={ID}
      title={words().links}
      hint={words().linksHint}
      failure={work.failure() ?? links.failure()}
    >
      <ul class="people-list" aria-labelledby={ID}>
        <For each={links.value()?.shares} fallback={<li class="muted small">{t().people.noLinks}</li>}>
          {(share) => (
            <li>
              <div class="people-who">
                <A class="people-link" href={`/${share.sessionId}`}>
                  {nameOf(share)}
                </A>
                <p class="muted small">
                  {t().people.made(shownTime(share.createdAt))}
                  <Show when={share.expiresAt}>{(at) => <> · {words().expires(shownTime(at()))}</>}</Show>
                </p>
              </div>
              <ConfirmButton
                label={t().people.revoke}
                name={words().revokeLink(nameOf(share))}
                question={words().revokeLinkQuestion}
                disabled={work.isBusy()}
                onConfirm={() => void revoke(share)}
              />
            </li>
          )}
        </For>
      </ul>
      <Show when={links.value()?.next && limit() < MAX_LINKS}>
        <Button
          label={words().more}
          onClick={() => {
            setLimit(MAX_LINKS);
            void links.reload();
          }}
        />
      </Show>
    </Section>
  );
}
