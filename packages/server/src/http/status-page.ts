import { html } from "hono/html";
import type { AgentStatus } from "../agents/agent-servers.ts";

/** What runs, for people and for probes. */
export interface PlatformStatus {
  readonly version: string;
  readonly ready: boolean;
  readonly startedAt: Date;
  readonly agents: readonly AgentStatus[];
  readonly journal: { readonly storage: string; readonly place: string; readonly works: boolean };
}

export const statusStyle = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 42rem; margin: 12vh auto; padding: 0 1.5rem; }
h1 { font-size: 2.2rem; margin: 0; letter-spacing: -0.02em; }
p { margin: 0.3rem 0 2rem; opacity: 0.75; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.6rem 1rem; border-top: 1px solid #8884; padding-top: 1.5rem; }
dt { opacity: 0.6; }
dd { margin: 0; overflow-wrap: anywhere; }
.good::before { content: "● "; color: #2a9d5c; }
.bad::before { content: "● "; color: #d1493f; }
a { color: inherit; }
`;

/** The page at / until the web client takes its place. */
export function statusPage({ version, ready, startedAt, agents, journal }: PlatformStatus) {
  const mark = (good: boolean) => (good ? "good" : "bad");
  return html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Parley</title>
    <link rel="stylesheet" href="/status.css" />
  </head>
  <body>
    <h1>Parley</h1>
    <p>Talk to one supervisor; it plans, delegates to any A2A agent, streams every token to you, and loses none.</p>
    <dl>
      <dt>Platform</dt>
      <dd class="${mark(ready)}">${ready ? "ready" : "not ready"}, version ${version}</dd>
      <dt>Journal</dt>
      <dd class="${mark(journal.works)}">${journal.storage} in ${journal.place}</dd>
      ${agents.map(
        ({ name, description, url, state, troubles }) => html`
      <dt>${name}</dt>
      <dd class="${mark(state === "up" && troubles.length === 0)}">${url ? html`<a href="${url}/.well-known/agent-card.json">${url}</a>` : state}
        <br />${description}${troubles.map((trouble) => html`<br />${trouble}`)}</dd>`,
      )}
      <dt>Running since</dt>
      <dd><time datetime="${startedAt.toISOString()}">${startedAt.toUTCString()}</time></dd>
      <dt>Probes</dt>
      <dd><a href="/healthz">/healthz</a> · <a href="/readyz">/readyz</a></dd>
    </dl>
  </body>
</html>`;
}
