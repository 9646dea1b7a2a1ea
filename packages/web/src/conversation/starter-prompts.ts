/** What each starter shows. */
export type StarterName = "investigate" | "approve" | "fork" | "break";

/**
 * What the starters of the first page say, in English whatever the page speaks: the offline model, which a first
 * visitor has, knows no other language.
 */
export const STARTER_PROMPTS: Readonly<Record<StarterName, string>> = {
  investigate: "Which applications are out of sync, and what were the last five commits?",
  approve: 'Write "Order 20 blue mugs" to the file order.txt',
  fork: "What is 15% of 80?",
  break: "Break the fragile demo and show argocd version",
};

/** All of them, in the order in which they are shown. */
export const STARTERS = Object.entries(STARTER_PROMPTS) as readonly (readonly [StarterName, string])[];
