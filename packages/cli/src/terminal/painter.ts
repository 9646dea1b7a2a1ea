import { inkFor } from "./ink.ts";
import { clipped, type Line, lineText, lineWidth } from "./line.ts";

/** As much of a terminal's output as is needed here; one that is none has no columns. */
export interface TerminalScreen extends NodeJS.WritableStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

/** What is to be seen. */
export interface Picture {
  /** Said for good: written once, and left to the terminal. */
  readonly settled: readonly Line[];
  /** At the end, as it is now. */
  readonly live: readonly Line[];
  /** Where the user writes, by row and column of `live`; none: the cursor is hidden. */
  readonly cursor?: { readonly row: number; readonly column: number };
}

/** Shows what is said for good, and below it what still changes. */
export interface Painter {
  readonly width: number;
  paint(picture: Picture): void;
  /** Takes the live part away, and leaves the terminal as it was. */
  end(): void;
}

const USUAL_WIDTH = 80;
const ESC = "\u001b[";
/** Terminals that know it draw all between these two at once; the others pass over it. */
const [TOGETHER, SHOWN] = [`${ESC}?2026h`, `${ESC}?2026l`];
/** While the live part is drawn, nothing moves to the next row by itself, however wide the terminal takes a character to be. */
const [CUT_OFF, FLOW] = [`${ESC}?7l`, `${ESC}?7h`];

/** Whether things can be changed on this stream after they were written. */
export function isLiveScreen(stream: TerminalScreen, environment: NodeJS.ProcessEnv = process.env): boolean {
  return stream.isTTY === true && environment.TERM !== "dumb";
}

export function painterFor(stream: TerminalScreen): Painter {
  return isLiveScreen(stream) ? new LivePainter(stream) : new AppendingPainter(stream);
}

/** Redraws the last rows of a terminal, and of them only those that changed; never touches what is above. */
export class LivePainter implements Painter {
  readonly #screen: TerminalScreen;
  readonly #ink: (line: Line) => string;
  #shown: readonly string[] = [];
  #widths: readonly number[] = [];
  /** The row of the live part in which the cursor is. */
  #row = 0;
  #column = 0;
  #paintedWidth: number;

  constructor(screen: TerminalScreen) {
    this.#screen = screen;
    this.#ink = inkFor(screen as NodeJS.WriteStream);
    this.#paintedWidth = this.width;
  }

  get width(): number {
    // The last column stays free: there, terminals differ in when they go on to the next row.
    return Math.max(8, this.#screen.columns || USUAL_WIDTH) - 1;
  }

  paint({ settled, live, cursor }: Picture): void {
    const rows = Math.max(2, this.#screen.rows || 24) - 1;
    const dropped = Math.max(0, live.length - rows);
    const lines = live.slice(dropped).map((line) => clipped(line, this.width));
    const texts = lines.map(this.#ink);
    // Where rows have moved, what is drawn over them would leave rests of what was there.
    const isAnew = settled.length > 0 || this.width !== this.#paintedWidth;
    const before = isAnew ? [] : this.#shown;
    let out = `${this.#home()}${isAnew ? `${ESC}J` : ""}`;
    out += `${settled.map((line) => `${this.#ink(line)}\r\n`).join("")}${CUT_OFF}`;
    texts.forEach((text, at) => {
      if (at > 0) out += "\r\n";
      if (text !== before[at]) out += `${text}${ESC}K`;
    });
    if (before.length > texts.length) out += `${ESC}J`;
    this.#shown = texts;
    this.#widths = lines.map(lineWidth);
    this.#row = Math.max(0, texts.length - 1);
    this.#column = 0;
    this.#paintedWidth = this.width;
    this.#screen.write(`${TOGETHER}${ESC}?25l${out}${FLOW}${this.#placed(cursor, dropped)}${SHOWN}`);
  }

  end(): void {
    this.#screen.write(`${this.#home()}${ESC}J${FLOW}${ESC}?25h`);
    this.#shown = [];
    this.#widths = [];
    this.#row = 0;
    this.#column = 0;
  }

  #placed(cursor: Picture["cursor"], dropped: number): string {
    if (!cursor || cursor.row < dropped) return "\r";
    const up = this.#row - (cursor.row - dropped);
    this.#row -= up;
    const column = Math.min(cursor.column, this.width);
    this.#column = column;
    return `${up > 0 ? `${ESC}${up}A` : ""}\r${column > 0 ? `${ESC}${column}C` : ""}${ESC}?25h`;
  }

  /** To the first row of the live part. A terminal that has become narrower has broken its rows in several. */
  #home(): string {
    const columns = this.width + 1;
    const above = this.#widths.slice(0, this.#row);
    const within = Math.floor(this.#column / columns);
    const up = above.reduce((sum, each) => sum + Math.max(1, Math.ceil(each / columns)), within);
    return `${up > 0 ? `${ESC}${up}A` : ""}\r`;
  }
}

/** Where nothing can be changed: writes what is said for good, and of the live part nothing. */
export class AppendingPainter implements Painter {
  readonly #screen: TerminalScreen;
  readonly #ink: (line: Line) => string;

  constructor(screen: TerminalScreen) {
    this.#screen = screen;
    this.#ink = screen.isTTY ? inkFor(screen as NodeJS.WriteStream) : lineText;
  }

  get width(): number {
    // What is written to a file is broken by whoever reads it.
    return this.#screen.isTTY ? this.#screen.columns || USUAL_WIDTH : Number.MAX_SAFE_INTEGER;
  }

  paint({ settled }: Picture): void {
    if (settled.length > 0) this.#screen.write(settled.map((line) => `${this.#ink(line)}\n`).join(""));
  }

  end(): void {}
}
