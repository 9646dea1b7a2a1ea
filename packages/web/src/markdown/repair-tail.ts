import remend from "remend";

/** Completes what the end of a growing text leaves open, so that it looks now as it will look. */
export function repairTail(source: string): string {
  // Nobody writes this; looking for the partner of each bracket would take long.
  if (source.length > 8192 || source.split("[").length > 200) return source;
  return remend(completeTableHead(source), {
    linkMode: "text-only",
    katex: false,
    handlers: [{ name: "inline math", handle: completeInlineMath }],
  });
}

// A row of cells after a blank line is the head of a table whose second line is still to come.
function completeTableHead(source: string): string {
  const match = /(?:^|\n[ \t]*\n)[ \t]*(\|[^\n|]+(?:\|[^\n]*)?)(\n[ \t]*(?:[|:-][|:\- ]*)?)?$/.exec(source);
  if (!match?.[1]) return source;
  const head = match[1].trimEnd();
  const cells = head.split("|").filter((cell) => cell.trim() !== "").length;
  const beginning = source.slice(0, source.length - (match[2]?.length ?? 0)).trimEnd();
  return `${beginning}${head.endsWith("|") ? "" : " |"}\n|${"---|".repeat(cells)}`;
}

function completeInlineMath(source: string): string {
  const line = source.slice(source.lastIndexOf("\n") + 1);
  const open = line.lastIndexOf("\\(");
  return open !== -1 && line.indexOf("\\)", open) === -1 && line.length > open + 2 ? `${source}\\)` : source;
}
