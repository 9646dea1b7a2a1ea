import type { OpenAPIHono } from "@hono/zod-openapi";
import { html } from "hono/html";
import { PROBLEMS } from "../problem.ts";

type Document = ReturnType<OpenAPIHono["getOpenAPI31Document"]>;
const METHODS = ["get", "post", "put", "patch", "delete"] as const;
/** What people look for first; the rest follows. */
const FIRST = ["Sessions", "Messages", "Events", "Runs", "Approvals", "Forks", "Agents"];

export const documentStyle = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 56rem; margin: 3rem auto; padding: 0 1.5rem; }
h1 { letter-spacing: -0.02em; margin-bottom: 0; }
h2 { border-bottom: 1px solid #8884; margin-top: 2.5rem; }
details { margin: 0.5rem 0; }
summary { cursor: pointer; overflow-wrap: anywhere; }
code, pre { font: 0.9rem/1.45 ui-monospace, monospace; }
pre { overflow: auto; background: #8881; padding: 0.8rem; border-radius: 0.4rem; }
b { display: inline-block; min-width: 4.5rem; font: 700 0.8rem ui-monospace, monospace; }
dt { font-family: ui-monospace, monospace; }
`;

/** The API for people to read; the same document that programs get. */
export function documentPage(document: Document) {
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    METHODS.flatMap((method) => (item[method] ? [{ path, method, ...item[method] }] : [])),
  );
  const byTag = Map.groupBy(operations, ({ tags }) => tags?.[0] ?? "Other");
  const schemas = Object.entries(document.components?.schemas ?? {});
  return html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>The API of Parley</title>
    <link rel="stylesheet" href="docs.css" />
  </head>
  <body>
    <h1>The API of Parley</h1>
    <p>Version ${document.info.version}. Everything is below <code>/api/v1</code>; programs read
      <a href="openapi.json">openapi.json</a>. Commands take an <code>Idempotency-Key</code>: the same key again is
      the same command, carried out once.</p>
    ${[...byTag]
      .sort(([one], [other]) => placeOf(one) - placeOf(other))
      .map(
        ([tag, own]) => html`<h2>${tag}</h2>
    ${own.map(
      ({ path, method, summary = "", description, parameters, requestBody, responses }) => html`<details>
      <summary><b>${method.toUpperCase()}</b> <code>${path}</code> ${withCode(summary)}</summary>
      ${description ? html`<p>${withCode(description)}</p>` : ""}
      <pre>${json({ parameters, requestBody, responses })}</pre>
    </details>`,
    )}`,
      )}
    <h2>Schemas</h2>
    ${schemas.map(
      ([name, schema]) =>
        html`<details id="${name}"><summary><code>${name}</code></summary><pre>${json(schema)}</pre></details>`,
    )}
    <h2>Problems</h2>
    <dl>${Object.entries(PROBLEMS).map(
      ([code, [status, title]]) => html`<dt id="${code}">${status} ${code}</dt><dd>${title}</dd>`,
    )}</dl>
  </body>
</html>`;
}

function json(value: unknown): string {
  return JSON.stringify(value, undefined, 2);
}

function placeOf(tag: string): number {
  const place = FIRST.indexOf(tag);
  return place < 0 ? FIRST.length : place;
}

/** What stands between backticks is code. */
function withCode(text: string) {
  return text.split("`").map((part, place) => (place % 2 === 1 ? html`<code>${part}</code>` : part));
}
