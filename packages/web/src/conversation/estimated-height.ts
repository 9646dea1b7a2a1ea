const LINE = 24;
const LINE_LENGTH = 85;
const AROUND = 44;

/** About how high a text will be, before it was ever drawn. */
export function estimatedHeight(text: string): number {
  let lines = 0;
  for (const line of text.split("\n")) lines += Math.max(1, Math.ceil(line.length / LINE_LENGTH));
  return AROUND + lines * LINE;
}
