import { createSignal, type JSX, onCleanup, Show } from "solid-js";
import { t } from "../app/strings/language.ts";

/** A picture out of a file that we have, drawn as an image and as nothing else; where it is none, what it holds otherwise. */
export function ImagePreview(props: {
  content: Blob;
  mediaType: string;
  name: string;
  otherwise?: JSX.Element;
}) {
  const [isBroken, setBroken] = createSignal(false);
  const url = URL.createObjectURL(new Blob([props.content], { type: props.mediaType }));
  onCleanup(() => URL.revokeObjectURL(url));
  return (
    <Show when={!isBroken()} fallback={props.otherwise ?? <p class="muted">{t().artifacts.broken}</p>}>
      <img src={url} alt={props.name} onError={() => setBroken(true)} />
    </Show>
  );
}
