import { Button } from "./button.tsx";
import { t } from "./strings/language.ts";

/** Replaces a page that threw an error. */
export function FailurePage(props: { error: unknown }) {
  const details = () =>
    props.error instanceof Error ? (props.error.stack ?? props.error.message) : String(props.error);
  return (
    <main class="notice-page" role="alert">
      <h1>{t().failure.title}</h1>
      <p>{t().failure.advice}</p>
      <Button kind="primary" label={t().failure.reload} onClick={() => location.reload()} />
      <details>
        <summary>{t().failure.details}</summary>
        <pre>{details()}</pre>
      </details>
    </main>
  );
}
