import { html } from "hono/html";

/** A page of ours without a line of script. */
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
