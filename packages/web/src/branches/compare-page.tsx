import { A, useParams, useSearchParams } from "@solidjs/router";
import { createEffect, Show } from "solid-js";
import { t } from "../app/strings/language.ts";
import { AgentsForm } from "./agents-form.tsx";
import { Comparison } from "./comparison.tsx";
import "./compare-page.css";

/** Several branches side by side, or, where none is named, the form that asks several agents one thing. */
export default function ComparePage() {
  const params = useParams<{ session: string }>();
  const [search] = useSearchParams<{ with: string }>();
  const compared = () => (search.with ? `${params.session},${search.with}` : undefined);
  createEffect(() => {
    document.title = `${t().branches.compareTitle} · Parley`;
  });
  return (
    <div class="compare-page">
      <header class="compare-head">
        <A href={`/${params.session}/branches`} class="back-link">
          {t().branches.title}
        </A>
        <h1>{t().branches.compareTitle}</h1>
      </header>
      <Show when={compared()} keyed fallback={<AgentsForm sessionId={params.session} />}>
        {(ids) => <Comparison ids={ids.split(",")} />}
      </Show>
    </div>
  );
}
