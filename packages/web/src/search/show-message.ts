import { useSearchParams } from "@solidjs/router";
import { createEffect, onCleanup } from "solid-js";
import type { SessionView } from "../app/session-view.ts";

const SHOWN_FOR_MS = 2_500;

/** Goes to the message that the address names, once it is there, and has it stand out for a while. */
export function createShownMessage(view: SessionView, goTo: (element: HTMLElement) => void): void {
  const [search] = useSearchParams<{ message?: string }>();
  let shown: string | undefined;
  createEffect(() => {
    const wanted = search.message;
    if (wanted === undefined || wanted === shown || !view.message(wanted)) return;
    // What was just decided to be shown is in the page only after this.
    const timer = setTimeout(() => {
      const element = document.querySelector<HTMLElement>(`[data-message="${CSS.escape(wanted)}"]`);
      if (!element) return;
      shown = wanted;
      goTo(element);
      element.tabIndex = -1;
      element.focus({ preventScroll: true });
      element.classList.add("found");
      setTimeout(() => element.classList.remove("found"), SHOWN_FOR_MS);
    });
    onCleanup(() => clearTimeout(timer));
  });
}
