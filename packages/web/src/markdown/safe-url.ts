const allowed = new Set(["http:", "https:", "mailto:"]);

/** The address that a link may lead to: absolute, and of the web or of mail; otherwise nothing. */
export function safeUrl(address: string): string | undefined {
  // The browser's own parser judges, after it has dropped what it would drop: control characters, tabs, line ends.
  const url = URL.parse(address);
  return url && allowed.has(url.protocol) ? url.href : undefined;
}
