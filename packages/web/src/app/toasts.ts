import { createSignal } from "solid-js";

/** A short notice, with an action that can undo what it reports. */
export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly action?: { readonly label: string; readonly run: () => void };
}

const SHOWN_FOR_MS = 8_000;
const [toasts, setToasts] = createSignal<readonly Toast[]>([]);
let last = 0;

export { toasts };

export function showToast(toast: Omit<Toast, "id">): void {
  const id = ++last;
  setToasts((before) => [...before, { ...toast, id }]);
  setTimeout(() => dismissToast(id), SHOWN_FOR_MS);
}

export function dismissToast(id: number): void {
  setToasts((before) => before.filter((each) => each.id !== id));
}
