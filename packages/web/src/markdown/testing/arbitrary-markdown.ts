import fc from "fast-check";

const inline = fc.constantFrom(
  ..."plain words,**bold**,*it,_under_,`code`,``a`b``,[link](https://example.org/a),[ref],[text][ref],[constructor],~~gone~~".split(
    ",",
  ),
  ..."<b>raw</b>|<br>|<div>|</div>|<!-- note|-->|$x^2$|costs $5 or $6|\\(a+b\\)|$$y$$|\\*|&amp;|😀|שלום|https://example.org|**|`|[|](".split(
    "|",
  ),
);

const line = fc.array(inline, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(" "));

const marker = fc.constantFrom(
  ..."|# |###### |#|> |>|- |* |+ |-|1. |2) |10. |1.|- [ ] |- [x] |    |  |   |\t".split("|"),
  ..."> - ,- > ,- - ,1. - ,  - ,   1. ,      ,> > ,- # ,- ```".split(","),
);

const wholeLine = fc.constantFrom(
  ..."```,```js,````,~~~,---,***,===,=,-,$$,$$ a,a $$,$$a$$,$$ x $$ tail,\\[,\\],\\[ a \\], ,\t".split(","),
  ...'| a | b |;|---|---|;|-|:-:|;| 1 | 2 |;|-;|;|[ref]: https://example.org/r;[ref]: /r "title";[other]:;"title"'.split(
    ";",
  ),
  ..."<div>,</div>,<script>,</script>,<!--,-->,<details>,<pre>".split(","),
);

const anyLine = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(marker, line).map((parts) => parts.join("")) },
  { weight: 3, arbitrary: wholeLine },
  { weight: 2, arbitrary: fc.tuple(marker, wholeLine).map((parts) => parts.join("")) },
  { weight: 3, arbitrary: fc.constant("") },
  { weight: 1, arbitrary: fc.string({ unit: fc.constantFrom(...">-*_`#[]()$\\|~=+1. \tab<!&:") }) },
);

/** Documents made of everything that Markdown knows, whole and broken, in any order. */
export const arbitraryMarkdown: fc.Arbitrary<string> = fc
  .tuple(fc.array(anyLine, { maxLength: 14 }), fc.constantFrom("\n", "\n", "\n", "\r\n"))
  .map(([lines, lineEnd]) => lines.join(lineEnd));

/** The same text, cut into pieces at these places (anywhere, also within a character). */
export function cut(text: string, places: readonly number[]): string[] {
  const ends = [...new Set(places.map((place) => Math.floor(place * text.length)))].sort((a, b) => a - b);
  return [...ends, text.length].map((end, index) => text.slice(ends[index - 1] ?? 0, end));
}

/** Places to cut a text at, each a fraction of its length. */
export const arbitraryPlaces: fc.Arbitrary<number[]> = fc.array(
  fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
  { maxLength: 40 },
);
