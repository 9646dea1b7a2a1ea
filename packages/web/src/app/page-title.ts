import { createEffect } from "solid-js";

/** Keeps the title of the browser's tab up to date while the component is there. */
export function setPageTitle(title: () => string): void {
  createEffect(() => {
    document.title = title() === "" ? "Parley" : `${title()} · Parley`;
  });
}
