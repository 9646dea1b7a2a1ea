import { createSignal } from "solid-js";

/** A short notice; where it has an action, that undoes what it tells of. */
export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly action?: { readonly label: string; readonly run: () => void };
}

/** Long enough to read, and to change one's mind. */
const SHOWN_FOR_MS = 8_000;
const [toasts, setToasts] = createSignal<readonly Toast[]>([]);
let last = 0;

/** The notices that are shown, the oldest first. */
export { toasts };

/** Shows a notice for a while. */
export function showToast(toast: Omit<Toast, "id">): void {
  const id = ++last;
  setToasts((before) => [...before, { ...toast, id }]);
  setTimeout(() => dismissToast(id), SHOWN_FOR_MS);
}

/** Takes a notice away before its time. */
export function dismissToast(id: number): void {
  setToasts((before) => before.filter((each) => each.id !== id));
}
