import { A } from "@solidjs/router";
import { t } from "./strings/language.ts";

/** The page at an address that does not exist; its button leads to the start. */
export function NotFound(props: { startLabel: string }) {
  return (
    <div class="notice-page">
      <h1>{t().app.notFound}</h1>
      <A class="button" href="/">
        {props.startLabel}
      </A>
    </div>
  );
}
