import type { RunRecord } from "@parley/client";
import { type Line, span } from "../../terminal/line.ts";
import { isLiveScreen, type Painter, painterFor } from "../../terminal/painter.ts";
import { coalesced } from "../scheduled.ts";
import type { Block } from "../view/block.ts";
import { CONNECTION_LOST, RECONNECTED } from "../view/connection-notice.ts";
import { type RunContext, runBlocks } from "../view/run-blocks.ts";
import { Transcript } from "../view/transcript.ts";

/** Shows one run as it progresses: with its answer where stdout is a terminal, otherwise its work on stderr if that is one. */
export class RunDisplay {
  readonly #hasAnswer: boolean;
  readonly #painter: Painter | undefined;
  readonly #transcript = new Transcript();
  readonly #frame = coalesced(() => this.#paint());
  #latest: { readonly run: RunRecord; readonly context: RunContext } | undefined;
  #notes: Line[] = [];
  #wasLost = false;

  constructor({ isJson, isVerbose }: { readonly isJson: boolean; readonly isVerbose: boolean }) {
    this.#hasAnswer = !isJson && process.stdout.isTTY === true;
    const isWatched = this.#hasAnswer || isVerbose || (isLiveScreen(process.stderr) && !isJson);
    this.#painter = isWatched ? painterFor(this.#hasAnswer ? process.stdout : process.stderr) : undefined;
  }

  show(run: RunRecord, context: RunContext): void {
    this.#latest = { run, context };
    if (this.#painter) this.#frame.soon();
  }

  connection(isLive: boolean): void {
    if (isLive !== this.#wasLost) return;
    this.#wasLost = !isLive;
    const text = isLive ? RECONNECTED : CONNECTION_LOST;
    if (!this.#painter) process.stderr.write(`${text}\n`);
    else {
      this.#notes.push([span("↻ ", "notice"), span(text, "quiet")]);
      this.#frame.soon();
    }
  }

  /** Paints the last state and restores the terminal. */
  end(): void {
    this.#frame.stop();
    if (this.#painter) this.#paint();
    this.#painter?.end();
  }

  #paint(): void {
    const painter = this.#painter;
    if (!painter) return;
    const { settled, live } = this.#transcript.advance(this.#blocks(), painter.width);
    const notes = this.#notes;
    this.#notes = [];
    painter.paint({ settled: [...notes, ...settled], live });
  }

  *#blocks(): Generator<Block> {
    if (!this.#latest) return;
    const { run, context } = this.#latest;
    for (const block of runBlocks(run, { ...context, now: Date.now() }))
      if (block.kind === "lines" || this.#hasAnswer) yield block;
  }
}
