import fc from "fast-check";

/** Agents that plans of tests may name. */
export const AGENTS = ["argocd", "git", "files", "агент 7"];

const oddText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.string({
    unit: fc.constantFrom("a", " ", "\n", "⟧", "⟦", "👩‍💻", "\ud83d", "\ude00", '"', "\\", "é"),
    maxLength: 20,
  }),
);
const idForms = fc.constantFrom("missing", "null", "number", "fraction", "text");

const writtenStep = fc.record({
  idForm: idForms,
  idText: oddText,
  title: fc.option(oddText, { freq: 9 }),
  agent: fc.constantFrom(...AGENTS),
  request: oddText.map((text) => `Do ${text}`),
  emptyList: fc.constantFrom([], null, undefined),
  extra: fc.option(fc.jsonValue({ maxDepth: 3 }), { nil: undefined }),
  rank: fc.nat(),
  links: fc.array(fc.nat(), { maxLength: 3 }),
});

/** Arguments of a call that are a plan, in all the ways in which a model may write one. */
export const planArguments: fc.Arbitrary<Record<string, unknown>> = fc
  .record({ drafts: fc.array(writtenStep, { minLength: 1, maxLength: 8 }), extra: fc.jsonValue() })
  .map(({ drafts, extra }) => {
    const ids = drafts.map(({ idForm, idText }, index) => {
      if (idForm === "text") return `s${index}:${idText}`;
      return idForm === "fraction" ? index + 100.5 : index + 1;
    });
    const steps = drafts.map(({ idForm, title, agent, request, emptyList, extra, rank, links }, index) => {
      const before = ids.filter((_, other) => {
        const otherRank = drafts[other]?.rank ?? 0;
        return otherRank < rank || (otherRank === rank && other < index);
      });
      const dependencies = before.length > 0 ? links.map((link) => before[link % before.length]) : [];
      return {
        ...(idForm !== "missing" && { id: idForm === "null" ? null : ids[index] }),
        title,
        agent,
        request,
        dependencies: dependencies.length > 0 ? dependencies : emptyList,
        extra,
      };
    });
    return { steps, extra, more: { steps: [{ title: "not a step", agent: "git" }] } };
  });

/** JSON text of a value: key order, white space and escapes as the choices fall. */
export function jsonText(value: unknown, choices: readonly number[]): string {
  let made = 0;
  const choose = (most: number) => (choices[made++ % choices.length] ?? 0) % most;
  const space = () => ["", "", " ", "\n", "\t \r\n"][choose(5)] ?? "";
  const character = (plain: string) =>
    choose(4) === 0 ? escaped(plain) : JSON.stringify(plain).slice(1, -1);
  const text = (value: string) => `"${[...value].map(character).join("")}"`;
  const list = (items: readonly string[]) => items.map((item) => space() + item + space()).join(",");
  const write = (value: unknown): string => {
    if (typeof value === "string") return text(value);
    if (Array.isArray(value)) return `[${list(value.map(write))}]`;
    if (typeof value !== "object" || value === null) return JSON.stringify(value);
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map((entry) => ({ entry, place: choose(100) }))
      .toSorted((one, other) => one.place - other.place);
    return `{${list(members.map(({ entry: [key, member] }) => `${text(key)}${space()}:${space()}${write(member)}`))}}`;
  };
  return space() + write(value) + space();
}

function escaped(character: string): string {
  const units = character.split("").map((unit) => unit.charCodeAt(0).toString(16).padStart(4, "0"));
  return units.map((unit) => `\\u${unit}`).join("");
}

/** What `jsonText` chooses by. */
export const choices = fc.array(fc.nat(1_000), { minLength: 1, maxLength: 50 });

/** A text in pieces, whose lengths come round again and again. */
export function inPieces(text: string, lengths: readonly number[]): string[] {
  const pieces: string[] = [];
  for (let at = 0, made = 0; at < text.length; made++) {
    const length = 1 + (lengths[made % lengths.length] ?? 0);
    pieces.push(text.slice(at, at + length));
    at += length;
  }
  return pieces;
}

/** The lengths of pieces. */
export const lengths = fc.array(fc.nat(12), { minLength: 1, maxLength: 20 });
