import { createEffect, type JSX, on, onCleanup } from "solid-js";
import { copyText } from "./copy-text.ts";
import { MarkdownStream } from "./markdown-stream.ts";
import { type MarkdownLabels, MarkdownView } from "./markdown-view.ts";
import "./markdown.css";

/** Limits on the work of one frame, so that no text blocks the page. */
const pieceSize = 4096;
const frameBudget = 10;

/** Renders growing Markdown without flicker; `done`: no more text will come. */
export function StreamingMarkdown(props: {
  text: string;
  done: boolean;
  labels: MarkdownLabels;
}): JSX.Element {
  const root = document.createElement("div");
  root.className = "md";
  let stream = new MarkdownStream();
  let view = new MarkdownView(root, props.labels);
  let taken = "";
  let finished = false;
  let frame = 0;

  const restart = () => {
    root.replaceChildren();
    stream = new MarkdownStream();
    view = new MarkdownView(root, props.labels);
    taken = "";
    finished = false;
  };

  const work = () => {
    cancelAnimationFrame(frame);
    frame = 0;
    if (finished || !props.text.startsWith(taken)) {
      if (finished && props.text === taken && props.done) return;
      restart();
    }
    const end = performance.now() + frameBudget;
    do {
      const piece = props.text.slice(taken.length, taken.length + pieceSize);
      if (piece) view.apply(stream.append(piece));
      taken = props.text.slice(0, taken.length + piece.length);
    } while (taken.length < props.text.length && performance.now() < end);
    if (taken.length < props.text.length) schedule();
    else if (props.done) {
      view.apply(stream.finish());
      finished = true;
    }
  };

  const schedule = () => {
    frame ||= requestAnimationFrame(work);
  };

  // The first text and the end are shown at once; what comes between, once in a frame.
  createEffect(on([() => props.text, () => props.done], () => (taken && !props.done ? schedule() : work())));
  onCleanup(() => cancelAnimationFrame(frame));
  root.addEventListener("click", (event) => void copyCode(event, props.labels));
  return root;
}

/** Copies the code block whose button was clicked, and shows that on the button. */
export async function copyCode(event: MouseEvent, labels: MarkdownLabels): Promise<void> {
  const button = event.target instanceof Element ? event.target.closest<HTMLElement>(".md-copy") : null;
  const code = button?.closest("figure")?.querySelector("code");
  if (!button || !code) return;
  // As a live region, the button announces the outcome to screen readers.
  button.ariaLive = "polite";
  button.textContent = (await copyText(code.textContent)) ? labels.copied : labels.copyFailed;
  setTimeout(() => {
    button.textContent = labels.copy;
  }, 2000);
}
