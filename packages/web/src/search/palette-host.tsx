import { createSignal, lazy, Show, Suspense } from "solid-js";
import { onShortcut } from "../app/keys.ts";

const Palette = lazy(() => import("./palette.tsx"));
const [isOpen, setOpen] = createSignal(false);

export function openPalette(): void {
  setOpen(true);
}

/** Where the palette is while it is open; nothing of it is loaded before. */
export function PaletteHost() {
  onShortcut("search", openPalette);
  return (
    <Suspense>
      <Show when={isOpen()}>
        <Palette onClose={() => setOpen(false)} />
      </Show>
    </Suspense>
  );
}
