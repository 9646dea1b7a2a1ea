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
])("knows %o as %s", (pressed, name) => {
  expect(pressedShortcut(pressed, false)).toBe(name);
});

it("leaves signs to whoever writes a text", () => {
  expect(pressedShortcut(press("?"), true)).toBeUndefined();
  expect(pressedShortcut(press("/"), true)).toBeUndefined();
  expect(pressedShortcut(press(" "), true)).toBeUndefined();
  expect(pressedShortcut(press("k", { ctrlKey: true }), true)).toBe("search");
});

it("calls keys as the keyboard at hand does", () => {
  expect(keyNames("mod+shift+o", true)).toEqual(["⌘", "⇧", "O"]);
  expect(keyNames("mod+shift+o", false)).toEqual(["Ctrl", "Shift", "O"]);
});
