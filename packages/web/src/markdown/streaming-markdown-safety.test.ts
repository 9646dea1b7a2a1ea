import { afterAll, beforeAll, expect, it } from "vitest";
import { hostileMarkdown } from "./testing/hostile-markdown.ts";
import { MarkdownPage } from "./testing/markdown-page.ts";

let page: MarkdownPage;

beforeAll(async () => {
  page = await MarkdownPage.open();
}, 180_000);

afterAll(() => page[Symbol.asyncDispose]());

const allowedElements =
  "a blockquote br button code del div em figure figcaption h3 h4 h5 h6 hr input kbd li mark ol p pre span strong sub sup table tbody td th thead tr ul";
const allowedAttributes =
  "class dir href target rel type disabled checked aria-label aria-live role tabindex start data-language";

it("200 hostile texts, split anywhere, run and fetch nothing, even without a policy", async () => {
  expect(new Set(hostileMarkdown).size).toBeGreaterThanOrEqual(200);
  const tab = await page.tab();
  tab.on("dialog", (dialog) => void dialog.dismiss());
  page.requests.length = 0;
  const found = await tab.evaluate(
    async ({ texts, elements, attributes }) => {
      let hits = 0;
      Object.assign(window, { pwn: () => (hits += 1) });
      const strange: string[] = [];
      const inspect = (root: Element, text: string) => {
        for (const node of root.querySelectorAll("*")) {
          const isMath = node.namespaceURI === "http://www.w3.org/1998/Math/MathML";
          if (!isMath && !elements.includes(node.localName)) strange.push(`<${node.localName}> from ${text}`);
          for (const { name } of node.attributes) {
            const isKnown = isMath ? !/^on|href|src|^id$|name/i.test(name) : attributes.includes(name);
            if (!isKnown) strange.push(`${name} from ${text}`);
          }
          if (node instanceof HTMLAnchorElement && !/^(https?|mailto):$/.test(node.protocol))
            strange.push(node.href);
          for (const type of ["mouseover", "focus", "pointerenter", "toggle", "error", "load"]) {
            node.dispatchEvent(new Event(type, { bubbles: true }));
          }
        }
      };
      for (let round = 0; round < 3; round += 1) {
        const answers = await Promise.all(
          texts.map(async (text) => {
            const first = Math.floor(Math.random() * text.length);
            const rest = text.slice(first).match(/[\s\S]{1,9}/g) ?? [];
            const pieces = [text.slice(0, first), ...rest];
            return { text, answer: await window.markdown.stream(round === 2 ? [text] : pieces, true) };
          }),
        );
        const waiting = ".md-math:not(.md-math-set, .md-math-failed)";
        while (document.querySelector(waiting)) await window.markdown.frame();
        for (const { text, answer } of answers) {
          inspect(answer.element, text);
          answer.remove();
        }
      }
      return { hits, strange };
    },
    {
      texts: hostileMarkdown,
      elements: allowedElements.split(" "),
      attributes: allowedAttributes.split(" "),
    },
  );
  expect(found).toEqual({ hits: 0, strange: [] });
  expect(page.requests.filter((url) => !url.startsWith(`${page.origin}/open/assets/`))).toEqual([]);
  expect(new URL(tab.url()).origin).toBe(page.origin);
  await tab.close();
}, 180_000);

it("the safety check detects a text that runs a script", async () => {
  const tab = await page.tab();
  page.requests.length = 0;
  await tab.evaluate(async () => {
    const ran = new Promise((resolve) => Object.assign(window, { pwn: resolve }));
    document.body.insertAdjacentHTML("beforeend", "<img src=http://away.invalid/i onerror=pwn()>");
    await ran;
  });
  expect(page.requests).toEqual(["http://away.invalid/i"]);
  await tab.close();
});

it("highlighted code, tables and formulas do not violate the strict policy", async () => {
  const tab = await page.tab({ strict: true });
  const text =
    "# Title\n\n- [x] done\n\n```ts\nconst a = 1;\n```\n\n| a |\n|:-:|\n| b |\n\n$$\n\\frac{a}{b} \\begin{pmatrix} a & b \\end{pmatrix}\n$$\n\n\\(\\color{red} x^2\\)";
  const broken = await tab.evaluate(async (markdown) => {
    const violations: string[] = [];
    document.addEventListener("securitypolicyviolation", (event) => violations.push(event.violatedDirective));
    await window.markdown.stream(markdown.match(/[\s\S]{1,5}/g) ?? [], true);
    return violations;
  }, text);
  await tab.waitForSelector(".md-token-keyword");
  await tab.waitForSelector(".md-math-display.md-math-set mfrac");
  expect(broken).toEqual([]);
  await tab.close();
});
