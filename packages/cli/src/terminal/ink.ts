import type { Writable } from "node:stream";
import { styleText } from "node:util";
import type { Line, Tone } from "./line.ts";

type Format = Parameters<typeof styleText>[0];

const FORMATS: Readonly<Record<Exclude<Tone, "plain">, Format>> = {
  strong: "bold",
  emphasis: "italic",
  heading: ["bold", "cyan"],
  code: "yellow",
  quiet: "gray",
  good: "green",
  bad: "red",
  notice: "magenta",
};

/** Renders lines for a stream: with colours on a terminal, unless NO_COLOR is set. */
export function inkFor(stream: Writable): (line: Line) => string {
  return (line) =>
    line
      .map(({ text, tone }) => (tone === "plain" ? text : styleText(FORMATS[tone], text, { stream })))
      .join("");
}
