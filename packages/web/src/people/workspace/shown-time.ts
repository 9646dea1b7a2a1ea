/** A moment as the page's language writes it. */
export function shownTime(at: string): string {
  const style = { dateStyle: "medium", timeStyle: "short" } as const;
  return new Date(at).toLocaleString(document.documentElement.lang, style);
}
