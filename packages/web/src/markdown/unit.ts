import type { Links, Token, Tokens } from "marked";

/** What is shown and settled as one: a block at the top, or one item of a list at the top. */
export type Unit = {
  readonly raw: string;
  /** Where it begins in the text that it was read from. */
  readonly start: number;
} & (
  | { readonly type: "block"; readonly token: Token }
  | {
      readonly type: "item";
      readonly item: Tokens.ListItem;
      readonly list: Tokens.List;
      /** Whether the unit before is an item of the same list. */
      readonly continues: boolean;
    }
);

/** Splits tokens into units; `inList`: the first is a further item of the preceding list. */
export function unitsOf(tokens: readonly Token[], inList: boolean): Unit[] {
  let offset = 0;
  return tokens.flatMap((token, index): Unit[] => {
    let start = offset;
    offset += token.raw.length;
    if (token.type === "space") return [];
    if (!isList(token)) return [{ type: "block", token, raw: token.raw, start }];
    return token.items.map((item, place): Unit => {
      const continues = place > 0 || (inList && index === 0);
      const unit = { type: "item", item, list: token, continues, raw: item.raw, start } as const;
      start += item.raw.length;
      return unit;
    });
  });
}

/** Whether a unit shows anything: a definition of a link does not. */
export function isShown(unit: Unit): boolean {
  return unit.type === "item" || unit.token.type !== "def";
}

/** The links that units define, also deep within them. */
export function definedLinks(units: readonly Unit[]): Links {
  const links: Links = Object.create(null);
  const collect = (token: Token): void => {
    if (token.type === "def") links[token.tag] ??= { href: token.href, title: token.title };
    for (const child of childrenOf(token)) collect(child);
  };
  for (const unit of units) collect(unit.type === "item" ? unit.item : unit.token);
  return links;
}

function isList(token: Token): token is Tokens.List {
  return token.type === "list";
}

function childrenOf(token: Token): readonly Token[] {
  if (isList(token)) return token.items;
  return "tokens" in token ? (token.tokens ?? []) : [];
}
