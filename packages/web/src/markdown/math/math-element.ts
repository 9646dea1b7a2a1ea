import temml from "temml";

const mathNames = new Set(
  "math mrow mi mn mo mtext mspace ms mfrac msqrt mroot mstyle merror mpadded mphantom msub msup msubsup munder mover munderover mmultiscripts mprescripts mtable mtr mtd menclose semantics none".split(
    " ",
  ),
);
const mathAttributes = new Set(
  "display displaystyle scriptlevel mathvariant stretchy fence separator form lspace rspace minsize maxsize symmetric largeop movablelimits accent accentunder linethickness width height depth voffset columnalign rowspacing columnspacing columnlines rowlines columnspan rowspan notation dir".split(
    " ",
  ),
);
const mathStyles =
  /^(?:padding|margin|border|text-?align|vertical-?align|font-?(?:weight|style|size)|width|height|math-?style|math-?depth)/i;
const sizeLimit = 4000;
const depthLimit = 200;

interface MathTree {
  readonly type?: string;
  readonly text?: string;
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly classes?: readonly string[];
  readonly style?: Readonly<Record<string, string>>;
  readonly children?: readonly MathTree[];
}

/** A formula as MathML, built from an allow-list of names; nothing when TeX does not understand it. */
export function mathElement(tex: string, displayMode: boolean): Element | undefined {
  if (tex.length > sizeLimit) return undefined;
  try {
    const tree: MathTree = temml.__renderToMathMLTree(tex, {
      displayMode,
      throwOnError: true,
      strict: false,
      trust: false,
      maxSize: [20, 50],
      maxExpand: 200,
    });
    const node = build(tree, 0);
    return node instanceof Element && node.localName === "math" ? node : undefined;
  } catch {
    // A formula that cannot be read is shown as it was written: the caller keeps its source.
    return undefined;
  }
}

function build(tree: MathTree, depth: number): Node {
  if (depth > depthLimit) throw new RangeError("The formula is nested too deeply.");
  if (tree.text !== undefined) return document.createTextNode(tree.text);
  const children = (tree.children ?? []).map((child) => build(child, depth + 1));
  const parent =
    tree.type && mathNames.has(tree.type)
      ? document.createElementNS("http://www.w3.org/1998/Math/MathML", tree.type)
      : document.createDocumentFragment();
  parent.append(...children);
  if (parent instanceof MathMLElement) decorate(parent, tree);
  return parent;
}

function decorate(made: MathMLElement, { attributes = {}, classes = [], style = {} }: MathTree): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (mathAttributes.has(name)) made.setAttribute(name, String(value));
  }
  const own = classes.filter((name) => /^tml-[\w-]+$/.test(name));
  if (own.length > 0) made.setAttribute("class", own.join(" "));
  for (const [name, value] of Object.entries(style)) {
    if (mathStyles.test(name) && /^[\w.%#\s-]+$/.test(value)) Object.assign(made.style, { [name]: value });
  }
}
