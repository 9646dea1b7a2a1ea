import { html } from "hono/html";

/** A page that says in one sentence why somebody is not signed in, and how to try again; without a line of script. */
export function authPage({ title, reason, again }: { title: string; reason: string; again: string }) {
  return html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Parley</title>
    <link rel="stylesheet" href="../status.css" />
  </head>
  <body>
    <main>
      <h1>${title}</h1>
      <p>${reason}</p>
      <p><a href="${again}">Try again</a></p>
    </main>
  </body>
</html>`;
}
