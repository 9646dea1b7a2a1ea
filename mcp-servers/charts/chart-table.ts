/** The numbers of a chart as CSV, with formula injection prevented. */
export function chartTable(labels: readonly string[], values: readonly number[]): string {
  const rows = values.map((value, at) => `${cell(labels[at] ?? "")},${value}`);
  return ["label,value", ...rows, ""].join("\n");
}

function cell(text: string): string {
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
