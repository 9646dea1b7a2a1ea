import { useNavigate, useSearchParams } from "@solidjs/router";
import { useParley } from "../app/parley.ts";
import { sessionName } from "../app/session-name.ts";
import { t } from "../app/strings/language.ts";
import { newSessionConfig } from "../settings/default-budget.ts";

/** Talking to an agent: in the conversation that one came from to choose, or else in a new one. */
export interface TalkTo {
  /** The conversation in question, if there is one. */
  conversation(): { readonly title: string; readonly agent: string } | undefined;
  begin(agent: string): void;
}

/** For a page that `?for=` names a conversation to. */
export function useTalkTo(): TalkTo {
  const { engine, state } = useParley();
  const navigate = useNavigate();
  const [search] = useSearchParams<{ for?: string }>();
  const session = () => (search.for === undefined ? undefined : state().list.sessions[search.for]);
  return {
    conversation() {
      const found = session();
      return (
        found && { title: sessionName(found, t().app.untitled), agent: found.metadata.agent ?? "supervisor" }
      );
    },
    begin(agent) {
      const found = session();
      if (found) engine.change(found.id, { agent });
      navigate(`/${found?.id ?? engine.create({ agent, ...newSessionConfig() })}`);
    },
  };
}
