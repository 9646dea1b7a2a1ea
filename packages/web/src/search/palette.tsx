import { shownList } from "@parley/client";
import { useNavigate } from "@solidjs/router";
import { createEffect, createMemo, createSignal, For, on, onMount, Show } from "solid-js";
import { useParley } from "../app/parley.ts";
import { sessionWholeName } from "../app/session-name.ts";
import { t } from "../app/strings/language.ts";
import { wordsOf } from "./highlight.ts";
import { paletteCommands } from "./palette-commands.ts";
import { type PaletteItem, paletteGroups } from "./palette-items.ts";
import { PaletteOption } from "./palette-option.tsx";
import { createSearchHits } from "./search-hits.ts";
import "./palette.css";

const HEADINGS = { session: "sessions", message: "messages", command: "commands" } as const;

/** Search and commands in one field: a combobox with its list, all by keys. It is there only while it is open. */
export default function Palette(props: { onClose: () => void }) {
  const { state } = useParley();
  const navigate = useNavigate();
  const [query, setQuery] = createSignal("");
  const [chosen, setChosen] = createSignal(0);
  let dialog: HTMLDialogElement | undefined;
  const found = createSearchHits(query);
  const commands = createMemo(() => paletteCommands(navigate));
  const sessions = createMemo(() =>
    shownList(state()).map((session) => ({ id: session.id, title: sessionWholeName(session, t()) })),
  );
  const groups = createMemo(() =>
    paletteGroups(query(), { sessions: sessions(), hits: found.hits(), commands: commands() }),
  );
  const items = createMemo(() => groups().flatMap((group) => group.items));
  const words = createMemo(() => wordsOf(query()));
  createEffect(on(query, () => setChosen(0)));
  const current = () => items()[Math.min(chosen(), items().length - 1)];
  const move = (by: number) =>
    setChosen((before) => (Math.min(before, items().length - 1) + by + items().length) % items().length);
  onMount(() => dialog?.showModal());

  const open = (item: PaletteItem | undefined) => {
    if (!item) return;
    dialog?.close();
    if (item.kind === "command") item.command.run();
    else if (item.kind === "session") navigate(`/${item.sessionId}`);
    else navigate(`/${item.sessionId}?message=${encodeURIComponent(item.messageId)}`);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    const moves: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };
    const by = moves[event.key];
    if (by !== undefined) move(by);
    else if (event.key === "Enter") open(current());
    else return;
    event.preventDefault();
  };
  const status = () => {
    if (found.phase() === "unreachable") return t().palette.offline;
    if (found.phase() === "searching" && items().length === 0) return t().palette.searching;
    if (items().length === 0) return t().palette.nothing(query().trim());
    return query().trim() === "" ? "" : t().palette.count(items().length);
  };
  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label={t().palette.label}
      closedby="any"
      onClose={props.onClose}
    >
      <input
        class="palette-field"
        role="combobox"
        aria-expanded={items().length > 0}
        aria-controls="palette-list"
        aria-autocomplete="list"
        aria-activedescendant={current()?.id}
        aria-label={t().palette.label}
        placeholder={t().palette.placeholder}
        autocomplete="off"
        spellcheck={false}
        value={query()}
        onInput={(event) => setQuery(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <div id="palette-list" class="palette-list" role="listbox" aria-label={t().palette.label} tabindex="-1">
        <For each={groups()}>
          {(group) => (
            // biome-ignore lint/a11y/useSemanticElements: options may stand in a group, and in no fieldset
            <div role="group" aria-label={t().palette[HEADINGS[group.kind]]}>
              <div class="palette-heading" aria-hidden="true">
                {t().palette[HEADINGS[group.kind]]}
              </div>
              <For each={group.items}>
                {(item) => (
                  <PaletteOption
                    item={item}
                    words={words()}
                    isChosen={current()?.id === item.id}
                    onOpen={() => open(item)}
                    onPoint={() => setChosen(items().findIndex(({ id }) => id === item.id))}
                  />
                )}
              </For>
            </div>
          )}
        </For>
      </div>
      <p class="palette-status muted small" role="status" classList={{ empty: status() === "" }}>
        {status()}
      </p>
      <Show when={items().length > 0}>
        <p class="palette-hints muted" aria-hidden="true">
          <kbd>↑↓</kbd> {t().palette.hintMove} <kbd>↵</kbd> {t().palette.hintOpen} <kbd>Esc</kbd>{" "}
          {t().palette.hintClose}
        </p>
      </Show>
    </dialog>
  );
}
