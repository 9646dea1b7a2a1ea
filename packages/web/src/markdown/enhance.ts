const highlightLimit = 20_000;

/** Highlights code and typesets math in a settled element; what that needs is loaded when it first occurs. */
export function enhance(root: HTMLElement): void {
  for (const figure of withClass(root, "md-block")) void highlight(figure);
  const formulas = withClass(root, "md-math");
  if (formulas.length > 0) void typeset(formulas);
}

async function highlight(figure: HTMLElement): Promise<void> {
  const code = figure.querySelector("code");
  const { language } = figure.dataset;
  if (!code || !language || code.textContent.length > highlightLimit) return;
  const { highlightedLines } = await import("./highlighting/highlighted-lines.ts");
  const lines = await highlightedLines(code.textContent, language);
  if (lines) code.replaceChildren(...lines);
}

async function typeset(formulas: readonly HTMLElement[]): Promise<void> {
  const { mathElement } = await import("./math/math-element.ts");
  for (const formula of formulas) {
    const display = formula.classList.contains("md-math-display");
    const math = mathElement(formula.textContent, display);
    if (math) formula.replaceChildren(math);
    formula.classList.add(math ? "md-math-set" : "md-math-failed");
  }
}

function withClass(root: HTMLElement, name: string): HTMLElement[] {
  const inside = [...root.querySelectorAll<HTMLElement>(`.${name}`)];
  return root.classList.contains(name) ? [root, ...inside] : inside;
}
