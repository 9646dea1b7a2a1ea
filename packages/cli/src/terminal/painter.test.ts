import { Writable } from "node:stream";
import xterm from "@xterm/headless";
import { describe, expect, it } from "vitest";
import { lineText, span } from "./line.ts";
import { AppendingPainter, isLiveScreen, LivePainter, type TerminalScreen } from "./painter.ts";

/** A screen that shows what is written to it. */
class TestScreen extends Writable implements TerminalScreen {
  readonly isTTY = true;
  readonly terminal: InstanceType<typeof xterm.Terminal>;
  written = "";

  constructor(cols: number, rows: number) {
    super({ decodeStrings: false });
    this.terminal = new xterm.Terminal({ cols, rows, allowProposedApi: true });
  }

  get columns(): number {
    return this.terminal.cols;
  }

  get rows(): number {
    return this.terminal.rows;
  }

  override _write(text: string, _: string, done: () => void): void {
    this.written += text;
    this.terminal.write(text);
    done();
  }

  /** All rows, when all is drawn. */
  async text(): Promise<string[]> {
    await new Promise<void>((resolve) => this.terminal.write("", resolve));
    const { active } = this.terminal.buffer;
    const rows = Array.from(
      { length: active.length },
      (_, at) => active.getLine(at)?.translateToString(true).trimEnd() ?? "",
    );
    return rows.slice(0, rows.findLastIndex((row) => row !== "") + 1);
  }
}

const lines = (...texts: readonly string[]) => texts.map((text) => [span(text)]);

describe("a live painter", () => {
  it("writes final lines once, and redraws live lines in place", async () => {
    const screen = new TestScreen(40, 10);
    const painter = new LivePainter(screen);
    painter.paint({ settled: lines("one"), live: lines("working", "› ") });
    painter.paint({ settled: [], live: lines("working harder", "› hello") });
    expect(await screen.text()).toEqual(["one", "working harder", "› hello"]);
    painter.paint({ settled: lines("two", "three"), live: lines("› ") });
    expect(await screen.text()).toEqual(["one", "two", "three", "›"]);
    painter.end();
    expect(await screen.text()).toEqual(["one", "two", "three"]);
  });

  it("draws only the rows that changed", async () => {
    const screen = new TestScreen(40, 10);
    const painter = new LivePainter(screen);
    painter.paint({ settled: [], live: lines("first", "second", "third") });
    await screen.text();
    screen.written = "";
    painter.paint({ settled: [], live: lines("first", "changed", "third") });
    await screen.text();
    expect(screen.written).toContain("changed");
    expect(screen.written).not.toMatch(/first|third/);
  });

  it("never touches or clears the scrollback", async () => {
    const screen = new TestScreen(40, 6);
    const painter = new LivePainter(screen);
    const tall = Array.from({ length: 30 }, (_, at) => `row ${at}`);
    for (let at = 1; at <= 20; at++) painter.paint({ settled: lines(`settled ${at}`), live: lines(...tall) });
    painter.end();
    expect(await screen.text()).toEqual(Array.from({ length: 20 }, (_, at) => `settled ${at + 1}`));
    for (const clearing of ["\u001b[2J", "\u001b[3J", "\u001bc"])
      expect(screen.written).not.toContain(clearing);
  });

  it("puts the cursor where the user writes", async () => {
    const screen = new TestScreen(40, 10);
    const painter = new LivePainter(screen);
    painter.paint({
      settled: lines("one"),
      live: lines("a", "› hello", "below"),
      cursor: { row: 1, column: 4 },
    });
    await screen.text();
    const { cursorX, cursorY } = screen.terminal.buffer.active;
    expect([cursorX, cursorY]).toEqual([4, 2]);
    painter.paint({ settled: lines("two"), live: lines("a") });
    expect(await screen.text()).toEqual(["one", "two", "a"]);
  });

  it("finds its rows again after the terminal is resized", async () => {
    const screen = new TestScreen(60, 12);
    const painter = new LivePainter(screen);
    const live = lines("a".repeat(50), "b".repeat(30), "› hello");
    painter.paint({ settled: lines("said"), live, cursor: { row: 2, column: 7 } });
    for (const cols of [20, 70, 35]) {
      await screen.text();
      screen.terminal.resize(cols, 12);
      painter.paint({ settled: [], live, cursor: { row: 2, column: 7 } });
      const rows = await screen.text();
      expect(rows.filter((row) => row.startsWith("a"))).toHaveLength(1);
      expect(rows.filter((row) => row === "said")).toHaveLength(1);
      expect(rows).toHaveLength(4);
    }
  });

  it("keeps each line in one row, whatever width the terminal gives its characters", async () => {
    const screen = new TestScreen(12, 8);
    const painter = new LivePainter(screen);
    for (const text of ["👩‍👩‍👧‍👦".repeat(9), "你好".repeat(9), "plain"])
      painter.paint({ settled: [], live: lines(text, "› ") });
    expect(await screen.text()).toEqual(["plain", "›"]);
  });
});

describe("a painter that only appends", () => {
  it("writes final lines, without colours and escape sequences", async () => {
    const written: string[] = [];
    const stream = new Writable({
      write(chunk, _, done) {
        written.push(String(chunk));
        done();
      },
    });
    const painter = new AppendingPainter(stream);
    painter.paint({ settled: [[span("one", "good")]], live: lines("live") });
    painter.paint({ settled: [], live: lines("live") });
    painter.end();
    expect(written.join("")).toBe("one\n");
  });

  it("is used for streams that are not a terminal, and for dumb terminals", () => {
    const screen = new TestScreen(10, 10);
    expect(isLiveScreen(screen, { TERM: "xterm" })).toBe(true);
    expect(isLiveScreen(screen, { TERM: "dumb" })).toBe(false);
    expect(isLiveScreen(new Writable() as TerminalScreen, { TERM: "xterm" })).toBe(false);
    expect(lineText([span("a"), span("b")])).toBe("ab");
  });
});
