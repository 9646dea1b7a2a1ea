import { useLocation } from "@solidjs/router";
import { createEffect, createMemo, For, on, Show } from "solid-js";
import { BASE_PATH } from "../app/base-path.ts";
import { NotFound } from "../app/not-found.tsx";
import { setPageTitle } from "../app/page-title.ts";
import { t } from "../app/strings/language.ts";
import { copyCode } from "../markdown/streaming-markdown.tsx";
import { type DocPage, PAGES } from "./doc-pages.ts";
import { sectionsOf } from "./doc-sections.ts";
import { renderDoc } from "./render-doc.ts";

/** The page at this address, with its headings listed beside it. */
export function DocArticle() {
  const location = useLocation();
  const page = createMemo(() =>
    PAGES.get(decodeURI(location.pathname.slice(`${BASE_PATH}/docs`.length)).replace(/\/$/, "") || "/"),
  );
  setPageTitle(() => page()?.title ?? t().app.notFound);
  return (
    <Show when={page()} keyed fallback={<NotFound startLabel={t().docs.title} />}>
      {(shown) => (
        <>
          <DocText page={shown} />
          <Contents page={shown} />
        </>
      )}
    </Show>
  );
}

/** The text of a page; its language is English, whatever the client's is. */
export function DocText(props: { page: DocPage }) {
  const location = useLocation();
  const body = document.createElement("div");
  body.className = "md doc-text";
  renderDoc(props.page, body, { ...t().markdown, link: t().docs.linkTo });
  body.addEventListener("click", (event) => void copyCode(event, t().markdown));
  // After a page is drawn, and when only the anchor changes.
  createEffect(
    on(
      () => location.hash,
      (hash) => {
        const target = hash === "" ? null : document.getElementById(decodeURIComponent(hash.slice(1)));
        if (target) target.scrollIntoView();
        else scrollTo(0, 0);
      },
    ),
  );
  return (
    <article class="doc" lang="en">
      <h1>{props.page.title}</h1>
      {body}
    </article>
  );
}

function Contents(props: { page: DocPage }) {
  const sections = () => sectionsOf(props.page.text).filter(({ depth }) => depth === 2 || depth === 3);
  return (
    <Show when={sections().length > 1}>
      <nav class="doc-contents" aria-label={t().docs.onThisPage}>
        <p>{t().docs.onThisPage}</p>
        <ul>
          <For each={sections()}>
            {({ title, depth, slug }) => (
              <li classList={{ deeper: depth > 2 }}>
                <a href={`#${slug}`}>{title}</a>
              </li>
            )}
          </For>
        </ul>
      </nav>
    </Show>
  );
}
