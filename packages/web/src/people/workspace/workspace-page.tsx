import type { Members } from "@parley/client";
import { createResource, Show } from "solid-js";
import { createLoaded, type Loaded } from "../../app/loaded.ts";
import { setPageTitle } from "../../app/page-title.ts";
import { useParley } from "../../app/parley.ts";
import { t } from "../../app/strings/language.ts";
import { type Ways, waysToSignIn } from "../who.ts";
import { AuditSection } from "./audit-section.tsx";
import { InvitationsSection } from "./invitations-section.tsx";
import { KeysSection } from "./keys-section.tsx";
import { LinksSection } from "./links-section.tsx";
import { MembersSection } from "./members-section.tsx";
import { SwitchSection } from "./switch-section.tsx";
import "../../settings/settings-page.css";
import "../people.css";
import "./workspace-page.css";

/** The workspace page; sections that the user may not use are hidden. */
export default function WorkspacePage() {
  const { me } = useParley();
  const [ways] = createResource((): Promise<Ways> => waysToSignIn());
  const isOwner = me.workspace.role === "owner";
  /** A key is not a member, except in the platform's own workspace if people can sign in. */
  const hasPeople = () =>
    me.isLogin ||
    (isOwner && me.workspace.id === "default" && ways.state === "ready" && ways().provider !== null);
  setPageTitle(() => t().app.workspace);
  return (
    <div class="plain-page workspace-page">
      <h1>{t().app.workspace}</h1>
      <SwitchSection />
      <Show when={hasPeople()}>
        <PeopleSections isOwner={isOwner} />
      </Show>
      <LinksSection />
      <Show when={isOwner}>
        <KeysSection />
        <AuditSection />
      </Show>
    </div>
  );
}

function PeopleSections(props: { isOwner: boolean }) {
  const { me, client } = useParley();
  const people: Loaded<Members> = createLoaded((signal) => client.members(me.workspace.id, { signal }));
  return (
    <>
      <MembersSection people={people} />
      <Show when={props.isOwner}>
        <InvitationsSection people={people} />
      </Show>
    </>
  );
}
