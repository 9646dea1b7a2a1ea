import { createSignal, onCleanup, Show } from "solid-js";
import { t } from "../app/strings/language.ts";

/** A picture out of a file that we have; its type is one of those that hold only pictures. */
export function ImagePreview(props: { content: Blob; mediaType: string; name: string }) {
  const [isBroken, setBroken] = createSignal(false);
  const url = URL.createObjectURL(new Blob([props.content], { type: props.mediaType }));
  onCleanup(() => URL.revokeObjectURL(url));
  return (
    <Show when={!isBroken()} fallback={<p class="muted">{t().artifacts.broken}</p>}>
      <img src={url} alt={props.name} onError={() => setBroken(true)} />
    </Show>
  );
}
