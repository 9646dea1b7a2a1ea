import { problemText } from "@parley/agent";
import { html } from "hono/html";
import type { AgentStatus } from "../agents/agent-server.ts";
import type { PlatformStatus } from "../platform-status.ts";

export const statusStyle = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 46rem; margin: 10vh auto; padding: 0 1.5rem; }
h1 { font-size: 2.2rem; margin: 0; letter-spacing: -0.02em; }
h2 { font-size: 1.1rem; margin: 2rem 0 0; }
.claim { margin: 0.3rem 0 2rem; opacity: 0.75; }
dl { display: grid; grid-template-columns: minmax(7rem, max-content) 1fr; gap: 0.7rem 1rem; border-top: 1px solid #8884; padding-top: 1rem; margin-top: 0.5rem; }
dt { opacity: 0.6; }
dd { margin: 0; overflow-wrap: anywhere; padding-left: 1.2rem; position: relative; }
dd p { margin: 0.1rem 0 0; opacity: 0.75; font-size: 0.9rem; }
dd p.trouble, li { opacity: 1; color: #c2382e; }
ul { padding-left: 1.2rem; overflow-wrap: anywhere; }
dd::before { position: absolute; left: 0; }
.good::before { content: "●"; color: #2a9d5c; }
.waiting::before { content: "●"; color: #d9962b; }
.bad::before { content: "●"; color: #d1493f; }
a { color: inherit; }
@media (prefers-color-scheme: dark) { dd p.trouble, li { color: #ff8a80; } }
`;

/** The page at /status: what runs and what does not. */
export function statusPage({ version, ready, startedAt, agents, problems, journal }: PlatformStatus) {
  const body = html`<h1>Parley</h1>
    <p class="claim">Talk to one supervisor; it plans, delegates to any A2A agent, streams every token to you, and loses none.</p>
    <dl>
      <dt>Platform</dt>
      <dd class="${ready ? "good" : "waiting"}">${ready ? "ready" : "not ready"}, version ${version}</dd>
      <dt>Journal</dt>
      <dd class="${journal.works ? "good" : "bad"}">${journal.storage} in ${journal.place}</dd>
      <dt>Running since</dt>
      <dd><time datetime="${startedAt.toISOString()}">${startedAt.toUTCString()}</time></dd>
      <dt>Web client</dt>
      <dd><a href="s/">/s/</a></dd>
      <dt>Documentation</dt>
      <dd><a href="docs">/docs</a></dd>
      <dt>API</dt>
      <dd><a href="docs/api-reference">/api/v1</a> · supervisor (A2A): <a href=".well-known/agent-card.json">/.well-known/agent-card.json</a></dd>
      <dt>Probes</dt>
      <dd><a href="healthz">/healthz</a> · <a href="readyz">/readyz</a> · <a href="metrics">/metrics</a></dd>
    </dl>
    <h2>Agents</h2>
    ${agents.length === 0 ? html`<p>None.</p>` : html`<dl>${agents.map(agentEntry)}</dl>`}
    ${
      problems.length === 0
        ? ""
        : html`<h2>Problems in agent files</h2><ul>${problems.map((problem) => html`<li>${problemText(problem)}</li>`)}</ul>`
    }`;
  return htmlPage("Parley", "status.css", body);
}

function agentEntry({ name, description, url, state, troubles }: AgentStatus) {
  const mark = state === "starting" ? "waiting" : state === "up" && troubles.length === 0 ? "good" : "bad";
  const place = url ? html`<a href="${url}/.well-known/agent-card.json">${url}</a>` : "";
  return html`
      <dt>${name}</dt>
      <dd class="${mark}">${place} ${state}
        <p>${description}</p>
        ${troubles.map((trouble) => html`<p class="trouble">${trouble}</p>`)}</dd>`;
}

/** A whole page around this body, without scripts. */
export function htmlPage(title: string, stylesheet: string, body: ReturnType<typeof html>) {
  return html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${title}</title>
    <link rel="stylesheet" href="${stylesheet}" />
  </head>
  <body>
    ${body}
  </body>
</html>`;
}
