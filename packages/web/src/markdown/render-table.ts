import type { Tokens } from "marked";
import { element, textElement } from "./element.ts";
import type { MarkdownLabels } from "./labels.ts";
import { renderInline } from "./render-inline.ts";

/** A table in a box of its own, which scrolls where the table is wider than the page. */
export function renderTable(token: Tokens.Table, labels: MarkdownLabels): HTMLElement {
  const head = element("thead", "", row(token.header, "th"));
  const body = element("tbody", "", ...token.rows.map((cells) => row(cells, "td")));
  const box = element("div", "md-table", element("table", "", head, body));
  box.tabIndex = 0;
  box.role = "group";
  box.ariaLabel = labels.table;
  return box;
}

function row(cells: readonly Tokens.TableCell[], name: "td" | "th"): HTMLElement {
  return element("tr", "", ...cells.map((cell) => tableCell(cell, name)));
}

function tableCell({ tokens, align }: Tokens.TableCell, name: "td" | "th"): HTMLElement {
  return textElement(name, align ? `md-${align}` : "", ...renderInline(tokens));
}
