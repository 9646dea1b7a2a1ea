import { numberText, type ValueAxis, valueAxis } from "./value-axis.ts";

export interface Chart {
  readonly kind: "bar" | "line";
  readonly values: readonly number[];
  /** One for each value. */
  readonly labels: readonly string[];
  readonly title?: string | undefined;
}

const WIDTH = 640;
const HEIGHT = 400;
const AREA = { left: 72, right: WIDTH - 24, top: 56, bottom: HEIGHT - 44 };
/** How many labels fit side by side, and how many values above their bars. */
const MAX_LABELS = 16;
const MAX_VALUES = 24;
const MAX_LABEL_LENGTH = 12;

/** Draws a chart as SVG without scripts or external content. */
export function drawChart(chart: Chart): string {
  const axis = valueAxis(chart.values);
  const title = chart.title ?? "";
  const shapes = [...grid(axis), ...(chart.kind === "bar" ? bars(chart, axis) : line(chart, axis))];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="${escaped(title || "Chart")}" font-family="system-ui, sans-serif" font-size="13" fill="#33373d">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    ...(title === "" ? [] : [text(AREA.left, 32, title, 'font-size="17" font-weight="600"')]),
    ...shapes,
    ...labels(chart),
    "</svg>",
    "",
  ].join("\n");
}

function grid(axis: ValueAxis): string[] {
  return axis.ticks.flatMap((tick) => {
    const y = heightOf(tick, axis);
    const stroke = tick === 0 ? "#8a9099" : "#e3e6ea";
    return [
      `<path d="M${AREA.left} ${y}H${AREA.right}" stroke="${stroke}"/>`,
      text(AREA.left - 10, y + 4, numberText(tick), 'text-anchor="end" fill="#626973"'),
    ];
  });
}

function bars({ values }: Chart, axis: ValueAxis): string[] {
  const slot = (AREA.right - AREA.left) / values.length;
  const width = round(Math.min(slot * 0.7, 90));
  const zero = heightOf(0, axis);
  return values.flatMap((value, at) => {
    const y = heightOf(value, axis);
    const [top, height] = [Math.min(y, zero), round(Math.abs(y - zero))];
    const x = round(middleOf(at, values.length) - width / 2);
    const bar = `<rect x="${x}" y="${top}" width="${width}" height="${height}" rx="3" fill="#3b6fd4"/>`;
    return [bar, ...valueText(value, at, values.length, value < 0 ? y + 16 : y - 6)];
  });
}

function line({ values }: Chart, axis: ValueAxis): string[] {
  const points = values.map((value, at) => [middleOf(at, values.length), heightOf(value, axis)] as const);
  const path = points.map(([x, y]) => `${x} ${y}`).join("L");
  return [
    `<path d="M${path}" fill="none" stroke="#3b6fd4" stroke-width="2.5" stroke-linejoin="round"/>`,
    ...points.map(([x, y]) => `<circle cx="${x}" cy="${y}" r="3.5" fill="#3b6fd4"/>`),
    ...values.flatMap((value, at) => valueText(value, at, values.length, heightOf(value, axis) - 10)),
  ];
}

function valueText(value: number, at: number, count: number, y: number): string[] {
  if (count > MAX_VALUES) return [];
  return [text(middleOf(at, count), y, numberText(value), 'text-anchor="middle"')];
}

function labels({ labels: all }: Chart): string[] {
  const every = Math.ceil(all.length / MAX_LABELS);
  return all.flatMap((label, at) => {
    if (at % every !== 0) return [];
    const shown = label.length > MAX_LABEL_LENGTH ? `${label.slice(0, MAX_LABEL_LENGTH - 1)}…` : label;
    return [text(middleOf(at, all.length), AREA.bottom + 22, shown, 'text-anchor="middle" fill="#626973"')];
  });
}

function middleOf(at: number, count: number): number {
  return round(AREA.left + ((at + 0.5) * (AREA.right - AREA.left)) / count);
}

function heightOf(value: number, { from, to }: ValueAxis): number {
  return round(AREA.bottom - ((value - from) / (to - from)) * (AREA.bottom - AREA.top));
}

function text(x: number, y: number, words: string, attributes: string): string {
  return `<text x="${x}" y="${round(y)}" ${attributes}>${escaped(words)}</text>`;
}

function escaped(words: string): string {
  return words
    .toWellFormed()
    .replace(/\p{Cc}/gu, " ")
    .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function round(length: number): number {
  return Math.round(length * 10) / 10;
}
