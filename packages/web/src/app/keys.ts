import { onCleanup, onMount } from "solid-js";
import type { Strings } from "./strings/en.ts";

/** A keyboard shortcut; `mod` is ⌘ on a Mac and Ctrl elsewhere. */
export interface Shortcut {
  readonly keys: string;
  /** What it does, in the catalogue. */
  readonly label: keyof Strings["keys"];
  /** Whether it also works while text is being written; those without `mod` would get in the way. */
  readonly inText?: boolean;
}

/** All shortcuts, as the help under `?` lists them. */
export const SHORTCUTS = {
  search: { keys: "mod+k", label: "search", inText: true },
  newConversation: { keys: "mod+shift+o", label: "newConversation", inText: true },
  toggleSidebar: { keys: "mod+b", label: "toggleSidebar", inText: true },
  focusComposer: { keys: "/", label: "focusComposer" },
  stop: { keys: "escape", label: "stop", inText: true },
  waiting: { keys: "mod+i", label: "waiting", inText: true },
  help: { keys: "?", label: "help" },
  playPause: { keys: "space", label: "playPause" },
  eventBack: { keys: "arrowleft", label: "eventBack" },
  eventForward: { keys: "arrowright", label: "eventForward" },
} as const satisfies Readonly<Record<string, Shortcut>>;

export type ShortcutName = keyof typeof SHORTCUTS;

export type Pressed = Pick<KeyboardEvent, "key" | "metaKey" | "ctrlKey" | "shiftKey" | "altKey">;

const handlers = new Map<ShortcutName, (() => void)[]>();

export function pressedShortcut(pressed: Pressed, isInText: boolean): ShortcutName | undefined {
  const names = Object.keys(SHORTCUTS) as ShortcutName[];
  return names.find((name) => {
    const shortcut: Shortcut = SHORTCUTS[name];
    return (shortcut.inText || !isInText) && isPressed(shortcut.keys, pressed);
  });
}

/** Binds a shortcut while the component is mounted; the most recent binding wins. */
export function onShortcut(name: ShortcutName, handler: () => void): void {
  onMount(() => handlers.set(name, [handler, ...(handlers.get(name) ?? [])]));
  onCleanup(() =>
    handlers.set(
      name,
      (handlers.get(name) ?? []).filter((each) => each !== handler),
    ),
  );
}

/** Listens for shortcuts while the component is mounted. */
export function listenForShortcuts(): void {
  const listener = (event: KeyboardEvent) => {
    if (event.isComposing || event.defaultPrevented) return;
    const name = pressedShortcut(event, isTextField(event.target));
    const handler = name && handlers.get(name)?.[0];
    // A dialog closes itself on Escape.
    // Space is also how a button is pressed.
    if (name === "playPause" && event.target instanceof Element && event.target.closest("button, a, summary"))
      return;
    if (!handler || (name === "stop" && document.querySelector("dialog[open], :popover-open"))) return;
    event.preventDefault();
    handler();
  };
  onMount(() => document.addEventListener("keydown", listener));
  onCleanup(() => document.removeEventListener("keydown", listener));
}

/** The names of the keys on the user's keyboard. */
export function keyNames(
  keys: string,
  isMac = /Mac|iPhone|iPad/.test(navigator.userAgent),
): readonly string[] {
  const names: Readonly<Record<string, string>> = {
    mod: isMac ? "⌘" : "Ctrl",
    shift: isMac ? "⇧" : "Shift",
    escape: "Esc",
    space: "␣",
    arrowleft: "←",
    arrowright: "→",
  };
  return keys.split("+").map((key) => names[key] ?? key.toUpperCase());
}

function isPressed(keys: string, { key, metaKey, ctrlKey, shiftKey, altKey }: Pressed): boolean {
  const parts = keys.split("+");
  const wanted = parts.at(-1) ?? "";
  const isModified = metaKey || ctrlKey;
  // Which key a sign such as "?" needs Shift for depends on the keyboard.
  const isShiftRight = /^[a-z]$/.test(wanted) ? shiftKey === parts.includes("shift") : true;
  const pressed = key === " " ? "space" : key.toLowerCase();
  return pressed === wanted && isModified === parts.includes("mod") && isShiftRight && !altKey;
}

export function isTextField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('textarea, select, input:not([type="range"])'))
  );
}
