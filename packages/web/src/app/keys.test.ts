import { expect, it } from "vitest";
import { keyNames, type Pressed, pressedShortcut } from "./keys.ts";

const press = (key: string, held: Partial<Pressed> = {}): Pressed => ({
  ...{ key, metaKey: false, ctrlKey: false, shiftKey: false, altKey: false },
  ...held,
});

it.each([
  [press("k", { ctrlKey: true }), "search"],
  [press("K", { metaKey: true }), "search"],
  [press("O", { ctrlKey: true, shiftKey: true }), "newConversation"],
  [press("?", { shiftKey: true }), "help"],
  [press("Escape"), "stop"],
  [press(" "), "playPause"],
  [press("ArrowLeft"), "eventBack"],
  [press("k"), undefined],
  [press("o", { ctrlKey: true }), undefined],
  [press("k", { ctrlKey: true, altKey: true }), undefined],
])("the key press %o is the shortcut %s", (pressed, name) => {
  expect(pressedShortcut(pressed, false)).toBe(name);
});

it("single-character shortcuts are ignored in text fields", () => {
  expect(pressedShortcut(press("?"), true)).toBeUndefined();
  expect(pressedShortcut(press("/"), true)).toBeUndefined();
  expect(pressedShortcut(press(" "), true)).toBeUndefined();
  expect(pressedShortcut(press("k", { ctrlKey: true }), true)).toBe("search");
});

it("keys are named as on the user's keyboard", () => {
  expect(keyNames("mod+shift+o", true)).toEqual(["⌘", "⇧", "O"]);
  expect(keyNames("mod+shift+o", false)).toEqual(["Ctrl", "Shift", "O"]);
});
