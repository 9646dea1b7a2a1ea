/** Beginnings that need no key, or less than what they could lead to. */
const WAYS_IN = [
  ...["/api/v1/shared", "/s", "/docs", "/healthz", "/auth/ways"],
  ...["/api/v1/docs", "/.well-known/agent-card.json"],
];

/** Other ways to write a path, all of which some reader of URLs takes for it: detours over what is for everybody, and other. */
export function pathSpellings(whole: string): {
  readonly detours: readonly string[];
  readonly others: readonly string[];
} {
  const [path = "", query] = whole.split("?");
  const rest = query === undefined ? "" : `?${query}`;
  const withQuery = (written: string) =>
    written.includes("?") || written.includes("#") ? written : written + rest;
  const segments = path.split("/").slice(1);
  const escaped = (text: string) => text.replace(/^./, (first) => `%${first.charCodeAt(0).toString(16)}`);
  const detours = WAYS_IN.flatMap((way) => {
    const up = way.split("/").slice(1);
    return ["..", "%2e%2e", ".%2E", "..;", "%252e%252e", "%2%65%2%65"].map(
      (dots) => `${way}/${up.map(() => dots).join("/")}${path}`,
    );
  });
  const within = ["..", "%2e%2e", "..%2f", "..\\"].map((dots) =>
    path.replace(
      /^\/api\/v1\//,
      `/api/v1/shared/${dots}${dots.length > 2 && !dots.startsWith("%") ? "" : "/"}`,
    ),
  );
  const others = [
    ...within,
    `${path}/`,
    `/${path}`,
    `/.${path}`,
    path.replace(/\/(?=[^/]*$)/, "//"),
    path.replace(/\/(?=[^/]*$)/, "/./"),
    path.replace(/\/(?=[^/]*$)/, "%2f"),
    `/${segments.map(escaped).join("/")}`,
    `/${[...segments.slice(0, -1), escaped(segments.at(-1) ?? "")].join("/")}`,
    path.replaceAll("/", "\\").replace("\\", "/"),
    path.toUpperCase(),
    `${path}%00`,
    `${path};a=b`,
    `${path}#/api/v1/shared`,
    `/api/v1/shared#/../..${path}`,
    `/api/v1/shared?/../..${path}`,
  ];
  const chosen = [...detours.slice(0, 6), ...detours.slice(6).filter((_, place) => place % 6 === 0)];
  return { detours: chosen.map(withQuery), others: others.map(withQuery) };
}
