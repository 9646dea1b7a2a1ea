import type { ColouredPiece } from "./coloured-code.ts";
import type { ColouringAnswer, ColouringRequest } from "./colouring-worker.ts";

/** Pieces converted at once; the page can respond in between. */
const piecesAtOnce = 2_000;
const waiting = new Map<number, (answer: ColouringAnswer) => void>();
let worker: Worker | undefined;
let asked = 0;

/** The nodes of highlighted code, its colours as classes; nothing for a language that is not known. */
export async function highlightedNodes(code: string, language: string): Promise<Node[] | undefined> {
  const { pieces, trouble } = await coloured({ number: ++asked, code, language });
  if (trouble !== undefined) throw new Error(`Code could not be coloured: ${trouble}`);
  if (!pieces) return undefined;
  const nodes: Node[] = [];
  for (let start = 0; start < pieces.length; start += piecesAtOnce) {
    if (start > 0) await new Promise((resolve) => setTimeout(resolve));
    nodes.push(...pieces.slice(start, start + piecesAtOnce).map(nodeOf));
  }
  return nodes;
}

// A language's first lines take some hundred milliseconds, which the page would stand still for.
function coloured(request: ColouringRequest): Promise<ColouringAnswer> {
  worker ??= startWorker();
  const answer = new Promise<ColouringAnswer>((resolve) => waiting.set(request.number, resolve));
  worker.postMessage(request);
  return answer;
}

function startWorker(): Worker {
  const started = new Worker(new URL("./colouring-worker.ts", import.meta.url), { type: "module" });
  started.addEventListener("message", ({ data }: MessageEvent<ColouringAnswer>) => {
    waiting.get(data.number)?.(data);
    waiting.delete(data.number);
  });
  // It could not be loaded: code stays as it is, until the next that comes tries again.
  started.addEventListener("error", () => {
    worker = undefined;
    for (const [number, answer] of waiting) answer({ number });
    waiting.clear();
  });
  return started;
}

function nodeOf([text, kind]: ColouredPiece): Node {
  if (kind === undefined) return document.createTextNode(text);
  const span = document.createElement("span");
  span.className = `md-token-${kind}`;
  span.textContent = text;
  return span;
}
