import { inkFor } from "./ink.ts";
import { clipped, type Line, lineText, lineWidth } from "./line.ts";

/** The part of a terminal's output stream that is used here; other streams have no columns. */
export interface TerminalScreen extends NodeJS.WritableStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

/** A frame. */
export interface Picture {
  /** Final lines, written once. */
  readonly settled: readonly Line[];
  /** The last lines, which may still change. */
  readonly live: readonly Line[];
  /** The cursor by row and column of `live`; hidden if missing. */
  readonly cursor?: { readonly row: number; readonly column: number };
}

/** Shows final lines, and below them those that may still change. */
export interface Painter {
  readonly width: number;
  paint(picture: Picture): void;
  /** Removes the live lines and restores the terminal. */
  end(): void;
}

const DEFAULT_WIDTH = 80;
const ESC = "\u001b[";
/** Synchronized output: terminals that support it draw everything in between at once. */
const [SYNC_START, SYNC_END] = [`${ESC}?2026h`, `${ESC}?2026l`];
/** No automatic wrapping while live lines are drawn, however wide the terminal renders a character. */
const [WRAP_OFF, WRAP_ON] = [`${ESC}?7l`, `${ESC}?7h`];

/** Whether written lines can be changed on this stream. */
export function isLiveScreen(stream: TerminalScreen, environment: NodeJS.ProcessEnv = process.env): boolean {
  return stream.isTTY === true && environment.TERM !== "dumb";
}

export function painterFor(stream: TerminalScreen): Painter {
  return isLiveScreen(stream) ? new LivePainter(stream) : new AppendingPainter(stream);
}

/** Redraws the changed ones of a terminal's last rows; never touches what is above. */
export class LivePainter implements Painter {
  readonly #screen: TerminalScreen;
  readonly #ink: (line: Line) => string;
  #shown: readonly string[] = [];
  #widths: readonly number[] = [];
  /** The cursor's row within the live lines. */
  #row = 0;
  #column = 0;
  #paintedWidth: number;

  constructor(screen: TerminalScreen) {
    this.#screen = screen;
    this.#ink = inkFor(screen as NodeJS.WriteStream);
    this.#paintedWidth = this.width;
  }

  get width(): number {
    // The last column stays free, because terminals differ in when they wrap there.
    return Math.max(8, this.#screen.columns || DEFAULT_WIDTH) - 1;
  }

  paint({ settled, live, cursor }: Picture): void {
    const rows = Math.max(2, this.#screen.rows || 24) - 1;
    const dropped = Math.max(0, live.length - rows);
    const lines = live.slice(dropped).map((line) => clipped(line, this.width));
    const texts = lines.map(this.#ink);
    // Where rows have moved, drawing over them would leave remnants.
    const isAnew = settled.length > 0 || this.width !== this.#paintedWidth;
    const before = isAnew ? [] : this.#shown;
    let out = `${this.#home()}${isAnew ? `${ESC}J` : ""}`;
    out += `${settled.map((line) => `${this.#ink(line)}\r\n`).join("")}${WRAP_OFF}`;
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
    this.#screen.write(`${SYNC_START}${ESC}?25l${out}${WRAP_ON}${this.#placed(cursor, dropped)}${SYNC_END}`);
  }

  end(): void {
    this.#screen.write(`${this.#home()}${ESC}J${WRAP_ON}${ESC}?25h`);
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

  /** Moves to the first live row. A terminal that became narrower has wrapped its rows. */
  #home(): string {
    const columns = this.width + 1;
    const above = this.#widths.slice(0, this.#row);
    const within = Math.floor(this.#column / columns);
    const up = above.reduce((sum, each) => sum + Math.max(1, Math.ceil(each / columns)), within);
    return `${up > 0 ? `${ESC}${up}A` : ""}\r`;
  }
}

/** Writes only final lines, for streams where nothing can be changed. */
export class AppendingPainter implements Painter {
  readonly #screen: TerminalScreen;
  readonly #ink: (line: Line) => string;

  constructor(screen: TerminalScreen) {
    this.#screen = screen;
    this.#ink = screen.isTTY ? inkFor(screen as NodeJS.WriteStream) : lineText;
  }

  get width(): number {
    // Files are not wrapped.
    return this.#screen.isTTY ? this.#screen.columns || DEFAULT_WIDTH : Number.MAX_SAFE_INTEGER;
  }

  paint({ settled }: Picture): void {
    if (settled.length > 0) this.#screen.write(settled.map((line) => `${this.#ink(line)}\n`).join(""));
  }

  end(): void {}
}
