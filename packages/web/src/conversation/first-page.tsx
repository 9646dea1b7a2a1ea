import type { ApiFile } from "@parley/client";
import { useNavigate } from "@solidjs/router";
import { For } from "solid-js";
import { setPageTitle } from "../app/page-title.ts";
import { useParley } from "../app/parley.ts";
import { t } from "../app/strings/language.ts";
import { newSessionConfig } from "../settings/default-budget.ts";
import { Composer } from "./composer.tsx";
import { withFiles } from "./outbox.ts";
import { STARTERS } from "./starter-prompts.ts";
import "./first-page.css";

/** The start page. */
export function FirstPage() {
  const { engine } = useParley();
  const navigate = useNavigate();
  setPageTitle(() => "");
  const begin = (text: string, files: readonly ApiFile[] = []) => {
    const sessionId = engine.create(newSessionConfig());
    engine.send(sessionId, text, withFiles(files));
    navigate(`/${sessionId}`);
  };
  return (
    <div class="first-page">
      <h1>{t().conversation.welcome}</h1>
      <p class="muted">{t().conversation.welcomeHint}</p>
      <Composer draftKey="new" onSend={begin} />
      <ul class="starters">
        <For each={STARTERS}>
          {([name, prompt]) => (
            <li>
              <button type="button" onClick={() => begin(prompt)}>
                <strong>{t().conversation.starters[name].name}</strong>
                <span lang="en">{prompt}</span>
                <small class="muted">{t().conversation.starters[name].about}</small>
              </button>
            </li>
          )}
        </For>
      </ul>
    </div>
  );
}
