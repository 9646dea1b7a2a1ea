const highlightLimit = 20_000;

let queue: Promise<void> = Promise.resolve();

/** Highlights code and typesets math in a settled element; what that needs is loaded when it first occurs. */
export function enhance(root: HTMLElement): void {
  for (const figure of withClass(root, "md-block")) enqueue(figure, highlight);
  for (const formula of withClass(root, "md-math")) enqueue(formula, typeset);
}

// One after the other, and each in a task of its own: a long history must not stop the page when it is opened.
function enqueue(target: HTMLElement, work: (target: HTMLElement) => Promise<void>): void {
  queue = queue.then(async () => {
    await new Promise((resolve) => setTimeout(resolve));
    if (target.isConnected) await work(target).catch(reportError);
  });
}

async function highlight(figure: HTMLElement): Promise<void> {
  const code = figure.querySelector("code");
  const { language } = figure.dataset;
  if (!code || !language || code.textContent.length > highlightLimit) return;
  const { highlightedNodes } = await import("./highlighting/highlighted-nodes.ts");
  const text = code.textContent;
  const nodes = await highlightedNodes(text, language);
  if (nodes && code.textContent === text) code.replaceChildren(...nodes);
}

async function typeset(formula: HTMLElement): Promise<void> {
  const { mathElement } = await import("./math/math-element.ts");
  const math = mathElement(formula.textContent, formula.classList.contains("md-math-display"));
  if (math) formula.replaceChildren(math);
  formula.classList.add(math ? "md-math-set" : "md-math-failed");
}

function withClass(root: HTMLElement, name: string): HTMLElement[] {
  const inside = [...root.querySelectorAll<HTMLElement>(`.${name}`)];
  return root.classList.contains(name) ? [root, ...inside] : inside;
}
