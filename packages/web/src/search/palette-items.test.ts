import { expect, it } from "vitest";
import { paletteGroups } from "./palette-items.ts";

const commands = ["New conversation", "Go to Settings"].map((label) => ({ id: label, label, run: () => {} }));
const sessions = [
  { id: "s2", title: "Sync checkout" },
  { id: "s1", title: "Settings of the cluster" },
  { id: "s0", title: "" },
];
const shown = (query: string, hits: Parameters<typeof paletteGroups>[1]["hits"] = []) =>
  paletteGroups(query, { sessions, hits, commands }).map(({ kind, items }) => [
    kind,
    ...items.map((item) => (item.kind === "command" ? item.command.label : item.title)),
  ]);

it("the palette shows the newest conversations and all commands before any input", () => {
  expect(shown("")).toEqual([
    ["session", "Sync checkout", "Settings of the cluster"],
    ["command", "New conversation", "Go to Settings"],
  ]);
});

it("the palette finds titles and commands locally, and adds server results, each session once", () => {
  expect(shown("sett")).toEqual([
    ["session", "Settings of the cluster"],
    ["command", "Go to Settings"],
  ]);
  const hits = [
    { sessionId: "s1", title: "Settings of the cluster", excerpt: "Settings of the cluster" },
    { sessionId: "s9", title: "Old settings", excerpt: "Old settings" },
    { sessionId: "s2", messageId: "m1", title: "Sync checkout", excerpt: "… settings …" },
  ];
  expect(shown("sett", hits)).toEqual([
    ["session", "Settings of the cluster", "Old settings"],
    ["message", "Sync checkout"],
    ["command", "Go to Settings"],
  ]);
  expect(shown("nothing like it")).toEqual([]);
});

it("the palette shows matches without Markdown syntax", () => {
  const excerpt = "… ## Which are out of **sync:** - `checkout` 2 * 3";
  const hits = [{ sessionId: "s2", messageId: "m1", title: "Sync checkout", excerpt }];
  const [group] = paletteGroups("sync:", { sessions: [], hits, commands: [] });
  expect(group?.items).toMatchObject([{ excerpt: "… Which are out of sync: - checkout 2 * 3" }]);
});
