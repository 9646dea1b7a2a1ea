import "./palette.css";
import { type SearchHit, shownList } from "@parley/client";
import { useNavigate } from "@solidjs/router";
import {
  type Accessor,
  createEffect,
  createMemo,
  createSignal,
  For,
  Match,
  on,
  onCleanup,
  onMount,
  Show,
  Switch,
} from "solid-js";
import { keyNames, SHORTCUTS } from "../app/keys.ts";
import { useParley } from "../app/parley.ts";
import { sessionWholeName } from "../app/session-name.ts";
import { LANGUAGES, type Language, setLanguage, t } from "../app/strings/language.ts";
import { setTheme, THEMES } from "../app/theme/theme.ts";
import { highlighted, wordsOf } from "./highlight.ts";
import { type PaletteCommand, type PaletteItem, paletteGroups } from "./palette-items.ts";

const PAUSE_MS = 120;
const MAX_HITS = 20;

/** Searches while the user types, after a short pause; outdated results are dropped. */
function createSearchHits(query: Accessor<string>) {
  const { client } = useParley();
  const [hits, setHits] = createSignal<readonly SearchHit[]>([]);
  const [phase, setPhase] = createSignal<"idle" | "searching" | "unreachable">("idle");
  createEffect(
    on(query, (typed) => {
      const text = typed.trim();
      if (text === "") {
        setHits([]);
        setPhase("idle");
        return;
      }
      setPhase("searching");
      const stale = new AbortController();
      const timer = setTimeout(async () => {
        try {
          const found = await client.search(text, { limit: MAX_HITS }, { signal: stale.signal, attempts: 1 });
          if (stale.signal.aborted) return;
          setHits(found.hits);
          setPhase("idle");
        } catch {
          if (stale.signal.aborted) return;
          // Local matches are still shown, and the palette reports that.
          setHits([]);
          setPhase("unreachable");
        }
      }, PAUSE_MS);
      onCleanup(() => {
        clearTimeout(timer);
        stale.abort();
      });
    }),
  );
  return { hits, phase };
}

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

function paletteCommands(navigate: (path: string) => void): readonly PaletteCommand[] {
  const pages = ["inbox", "agents", "workspace", "settings"] as const;
  const languages = Object.keys(LANGUAGES) as Language[];
  return [
    {
      id: "new",
      label: t().app.newConversation,
      keys: SHORTCUTS.newConversation.keys,
      run: () => navigate("/"),
    },
    ...pages.map((page) => ({
      id: page,
      label: t().palette.goTo(t().app[page]),
      run: () => navigate(`/${page}`),
    })),
    ...THEMES.map((theme) => ({
      id: `theme-${theme}`,
      label: t().palette.theme(t().theme[theme]),
      run: () => setTheme(theme),
    })),
    ...languages.map((language) => ({
      id: `language-${language}`,
      label: t().palette.language(LANGUAGES[language].languageName),
      run: () => setLanguage(language),
    })),
  ];
}

function PaletteOption(props: {
  item: PaletteItem;
  words: readonly string[];
  isChosen: boolean;
  onOpen: () => void;
  onPoint: () => void;
}) {
  let line: HTMLDivElement | undefined;
  createEffect(() => props.isChosen && line?.scrollIntoView({ block: "nearest" }));
  const title = () => {
    const { item } = props;
    return item.kind === "command" ? item.command.label : item.title || t().app.untitled;
  };
  const keys = () => (props.item.kind === "command" ? props.item.command.keys : undefined);
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the field has the focus, and says which line is meant
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys go to the field, which the list belongs to
    <div
      ref={line}
      id={props.item.id}
      role="option"
      class="palette-option"
      aria-selected={props.isChosen}
      onClick={props.onOpen}
      onPointerMove={props.onPoint}
    >
      <Switch>
        <Match when={props.item.kind === "message" && props.item}>
          {(item) => (
            <>
              <span class="palette-excerpt">
                <Pieces text={item().excerpt} words={props.words} />
              </span>
              <span class="palette-origin muted">{title()}</span>
            </>
          )}
        </Match>
        <Match when={true}>
          <span class="palette-title">
            <Pieces text={title()} words={props.words} />
          </span>
        </Match>
      </Switch>
      <Show when={keys()}>{(given) => <kbd>{keyNames(given()).join(" ")}</kbd>}</Show>
    </div>
  );
}

function Pieces(props: { text: string; words: readonly string[] }) {
  return (
    <For each={highlighted(props.text, props.words)}>
      {(piece) => (piece.isHit ? <mark>{piece.text}</mark> : piece.text)}
    </For>
  );
}
