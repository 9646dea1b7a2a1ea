import { createSignal } from "solid-js";
import { render } from "solid-js/web";
import { copyText } from "../copy-text.ts";
import { StreamingMarkdown } from "../streaming-markdown.tsx";
import "../../app/tokens.css";
import "./page.css";

/** The texts themselves, and not those of the whole client: a test measures how large this page is. */
const LABELS = {
  copy: "Copy",
  copied: "Copied",
  copyFailed: "Couldn’t copy",
  code: "Code",
  table: "Table",
  image: "Image",
  done: "Done",
  notDone: "Not done",
};

/** One answer on the page, which a test lets grow. */
interface Answer {
  readonly element: HTMLElement;
  show(text: string, done: boolean): void;
  remove(): void;
}

function open(): Answer {
  const [state, setState] = createSignal({ text: "", done: false });
  const element = document.createElement("div");
  document.getElementById("page")?.append(element);
  const dispose = render(
    () => <StreamingMarkdown text={state().text} done={state().done} labels={LABELS} />,
    element,
  );
  return {
    element,
    show: (text, done) => setState({ text, done }),
    remove: () => {
      dispose();
      element.remove();
    },
  };
}

async function frame(): Promise<void> {
  await new Promise((resolve) => requestAnimationFrame(resolve));
}

/** Shows these pieces one after the other, each in a frame of its own where `paced`, and returns the answer. */
async function stream(pieces: readonly string[], paced: boolean): Promise<Answer> {
  const answer = open();
  let text = "";
  for (const piece of pieces) {
    text += piece;
    answer.show(text, false);
    if (paced) await frame();
  }
  answer.show(text, true);
  return answer;
}

const page = { open, stream, frame, copyText };
Object.assign(window, { markdown: page });

declare global {
  interface Window {
    markdown: typeof page;
  }
}
