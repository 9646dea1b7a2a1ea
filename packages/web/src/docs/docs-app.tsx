import { Route, Router } from "@solidjs/router";
import { ErrorBoundary } from "solid-js";
import { BASE_PATH } from "../app/base-path.ts";
import { FailurePage } from "../app/failure-page.tsx";
import { ApiReference } from "./api-reference.tsx";
import { DocArticle } from "./doc-article.tsx";
import { DocsShell } from "./docs-shell.tsx";
import "../app/shell.css";
import "../app/pages.css";
import "./docs.css";

/** The documentation: the Markdown files of `docs/`, bundled when the client is built, so that it works offline. */
export default function DocsApp() {
  return (
    <ErrorBoundary fallback={(error) => <FailurePage error={error} />}>
      <Router base={`${BASE_PATH}/docs`} root={DocsShell}>
        <Route path="/api-reference" component={ApiReference} />
        <Route path="/*path" component={DocArticle} />
      </Router>
    </ErrorBoundary>
  );
}
