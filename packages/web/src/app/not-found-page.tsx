import { A } from "@solidjs/router";
import { t } from "./strings/language.ts";

/** For addresses at which nothing is. */
export function NotFoundPage() {
  return (
    <div class="notice-page">
      <h1>{t().app.notFound}</h1>
      <A class="button" href="/">
        {t().app.backToStart}
      </A>
    </div>
  );
}
