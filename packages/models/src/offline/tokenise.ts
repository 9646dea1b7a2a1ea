const STOP_WORDS = new Set(
  `a an the and or but if then else of in on at to from for by with without into onto about as is are was were be been am
  do does did done has have had i me my mine you your yours we us our he she it its they them their this that these those
  there here what which who whom whose when where why how can could would should will shall may might must please kindly
  just also so too very some any all each every both not no yes ok okay let lets like want need now right hey hi hello
  thanks thank up out than per via s t m re ve ll d whats tell give got any one ones thing things many much
  since until during between before after`.split(/\s+/),
);

/** Words that people use for one another, and forms that no rule gives; the first of each is the one that counts. */
const SAME = new Map(
  `directory folder dir
  application app
  repository repo
  size big large
  write wrote written
  make made
  send sent
  find found
  build built
  run ran`
    .split("\n")
    .flatMap((line) => {
      const [first = "", ...others] = line.trim().split(" ");
      return others.map((other) => [other, first] as const);
    }),
);

/** The words of a text in lower case; camelCase, snake_case and kebab-case names fall into their parts. */
export function words(text: string): string[] {
  const parted = text
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2")
    .replace(/(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, " ")
    .replace(/(\p{L})['’](?=\p{L})/gu, "$1");
  return parted.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Whether a word says how a sentence is built and not what it is about. */
export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word);
}

/** A word without its commonest English endings, so that "cities" meets "city" and "creating" meets "create". */
export function stem(word: string): string {
  const bare = withoutEnding(word);
  const same = SAME.get(word.replace(/s$/, "")) ?? SAME.get(bare);
  return same === undefined ? bare : withoutEnding(same);
}

function withoutEnding(word: string): string {
  if (word.length < 4 || /\d/.test(word)) return word;
  const singular = word
    .replace(/ies$/, "y")
    .replace(/(s|x|z|ch|sh)es$/, "$1")
    .replace(/([^su])s$/, "$1");
  const bare = singular.length > 5 ? singular.replace(/(?:ing|ed)$/, "") : singular;
  return bare.replace(/([^aeiouls])\1$/, "$1").replace(/(?<=.{3})e$/, "");
}

/** The stems of what a text is about, in order. */
export function contentStems(text: string): string[] {
  return words(text)
    .filter((word) => !isStopWord(word))
    .map(stem);
}
