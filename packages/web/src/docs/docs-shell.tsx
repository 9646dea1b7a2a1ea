import { A, type RouteSectionProps, useLocation } from "@solidjs/router";
import { createEffect, createMemo, createSignal, For, on, onCleanup, Show } from "solid-js";
import { BASE_PATH } from "../app/base-path.ts";
import { Icon, IconButton } from "../app/icon.tsx";
import { t } from "../app/strings/language.ts";
import { GROUPS, PAGES } from "./doc-pages.ts";
import { type DocHit, searchDocs } from "./doc-search.ts";

/** What is around every page of the documentation: search above, navigation at the side. */
export function DocsShell(props: RouteSectionProps) {
  const [query, setQuery] = createSignal("");
  const [isOpen, setOpen] = createSignal(false);
  const location = useLocation();
  const hits = createMemo(() => searchDocs(PAGES.values(), query()));
  let search: HTMLInputElement | undefined;
  let nav: HTMLElement | undefined;
  const reset = () => {
    setQuery("");
    setOpen(false);
  };
  createEffect(on(() => location.pathname + location.hash, reset, { defer: true }));
  // After the links know which of them is the page's own.
  createEffect(
    on(
      () => location.pathname,
      () => queueMicrotask(() => nav?.querySelector(".active")?.scrollIntoView({ block: "nearest" })),
    ),
  );
  const onKey = (event: KeyboardEvent) => {
    const isWriting = event.target instanceof Element && event.target.matches("input, textarea, select");
    if (event.key !== "/" || isWriting || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    search?.focus();
  };
  document.addEventListener("keydown", onKey);
  onCleanup(() => document.removeEventListener("keydown", onKey));
  return (
    <div class="docs">
      <a class="skip" href="#content">
        {t().docs.skip}
      </a>
      <header class="docs-head">
        <span class="docs-menu">
          <IconButton icon="sidebar" label={t().docs.pages} onClick={() => setOpen((before) => !before)} />
        </span>
        <A href="/" class="docs-brand">
          Parley <span class="muted">{t().docs.title}</span>
        </A>
        <div class="docs-search">
          <Icon name="search" />
          <input
            ref={search}
            type="search"
            aria-label={t().docs.search}
            placeholder={t().docs.search}
            value={query()}
            onInput={(event) => setQuery(event.currentTarget.value)}
            onKeyDown={(event) => event.key === "Escape" && setQuery("")}
          />
          <kbd>/</kbd>
        </div>
        <a class="docs-open" href={`${BASE_PATH}/s/`} rel="external">
          {t().docs.openParley}
        </a>
      </header>
      <nav ref={nav} class="docs-nav" classList={{ "is-open": isOpen() }} aria-label={t().docs.pages}>
        <For each={GROUPS}>
          {(group) => (
            <section>
              <h2>{group.title}</h2>
              <ul>
                <For each={group.links}>
                  {(link) => (
                    <li>
                      <A href={link.route} end={link.route !== "/decisions"}>
                        {link.title}
                      </A>
                    </li>
                  )}
                </For>
              </ul>
            </section>
          )}
        </For>
      </nav>
      <main id="content" class="docs-main" tabindex="-1">
        <p class="visually-hidden" role="status">
          {query() === "" ? "" : t().palette.count(hits().length)}
        </p>
        <Show when={query() !== ""}>
          <Hits hits={hits()} onChoose={reset} />
        </Show>
        <div class="docs-shown" hidden={query() !== ""}>
          {props.children}
        </div>
      </main>
    </div>
  );
}

function Hits(props: { hits: readonly DocHit[]; onChoose: () => void }) {
  return (
    <div class="docs-hits" lang="en">
      <h1>{t().palette.count(props.hits.length)}</h1>
      <ol>
        <For each={props.hits}>
          {({ page, section, excerpt }) => (
            <li>
              <A
                href={`${page.route}${section.depth === 1 ? "" : `#${section.slug}`}`}
                onClick={() => props.onChoose()}
              >
                <strong>{section.title}</strong>
                <Show when={section.depth > 1}>
                  <span class="muted small"> {page.title}</span>
                </Show>
              </A>
              <p class="small">
                <For each={excerpt}>{(piece) => (piece.isHit ? <mark>{piece.text}</mark> : piece.text)}</For>
              </p>
            </li>
          )}
        </For>
      </ol>
    </div>
  );
}
