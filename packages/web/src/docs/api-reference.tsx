import { createSignal, onCleanup, onMount, Show } from "solid-js";
import { SERVER_URL } from "../app/base-path.ts";
import { setPageTitle } from "../app/page-title.ts";
import { t } from "../app/strings/language.ts";
import { DocText } from "./doc-article.tsx";
import { PAGES } from "./doc-pages.ts";

const DARK = matchMedia("(prefers-color-scheme: dark)");

/** Every endpoint from the server's own OpenAPI document, with requests to try; without the server, the list as text. */
export function ApiReference() {
  const [isAway, setAway] = createSignal(false);
  const box = document.createElement("div");
  setPageTitle(() => t().docs.reference);
  onMount(() => show(box).catch(() => setAway(true)));
  followTheme();
  const page = () => PAGES.get("/api-reference");
  return (
    <Show when={!isAway()} fallback={<Show when={page()}>{(text) => <DocText page={text()} />}</Show>}>
      <div class="api-reference" lang="en">
        <h1>{t().docs.reference}</h1>
        <p>{t().docs.referenceHint}</p>
        <h2 class="visually-hidden">{t().docs.endpoints}</h2>
        {box}
      </div>
    </Show>
  );
}

async function show(box: HTMLElement): Promise<void> {
  const response = await fetch(`${SERVER_URL}/api/v1/openapi.json`);
  if (!response.ok) throw new Error(`The OpenAPI document was answered with ${response.status}`);
  const spec = await response.json();
  const { drawApi } = await import("./swagger-ui.ts");
  // The server may be below a path of its origin.
  drawApi(box, { ...spec, servers: [{ url: `${SERVER_URL}/api/v1` }] });
}

/** swagger-ui needs a class for its dark colours. */
function followTheme(): void {
  const { classList, dataset } = document.documentElement;
  const apply = () => {
    classList.toggle("dark-mode", (dataset.theme ?? (DARK.matches ? "dark" : "light")) === "dark");
  };
  apply();
  DARK.addEventListener("change", apply);
  onCleanup(() => {
    DARK.removeEventListener("change", apply);
    classList.remove("dark-mode");
  });
}
