import { Disclosure } from "../app/disclosure.tsx";
import { t } from "../app/strings/language.ts";

/** What an agent thought on the way, folded away. */
export function Thinking(props: { text: string; isOpen: boolean }) {
  return (
    <Disclosure
      class="thinking"
      summary={<span classList={{ alive: props.isOpen }}>{t().conversation.thinking}</span>}
    >
      <div class="thinking-text">{props.text}</div>
    </Disclosure>
  );
}
