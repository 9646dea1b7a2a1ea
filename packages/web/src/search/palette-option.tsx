import { createEffect, For, Match, Show, Switch } from "solid-js";
import { keyNames } from "../app/keys.ts";
import { t } from "../app/strings/language.ts";
import { highlighted } from "./highlight.ts";
import type { PaletteItem } from "./palette-items.ts";

/** One line of the palette; the focus stays in the field, which says which line is meant. */
export function PaletteOption(props: {
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
