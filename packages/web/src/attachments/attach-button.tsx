import { Icon } from "../app/icon.tsx";
import { t } from "../app/strings/language.ts";

/** Opens the browser's own choice of files. */
export function AttachButton(props: { onFiles: (files: readonly File[]) => void }) {
  let input: HTMLInputElement | undefined;
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={(event) => {
          props.onFiles([...(event.currentTarget.files ?? [])]);
          // So that the same file can be chosen again.
          event.currentTarget.value = "";
        }}
      />
      <button
        type="button"
        class="round-button attach"
        aria-label={t().attachments.attach}
        title={t().attachments.attach}
        onClick={() => input?.click()}
      >
        <Icon name="attach" />
      </button>
    </>
  );
}
