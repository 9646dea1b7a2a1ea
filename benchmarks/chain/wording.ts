/** The sub-agent's name. */
export const AGENT = "speaker";

/** One answer: its number of tokens, initial delay and pace; without a pace, as fast as they are read. */
export interface Load {
  readonly tokens: number;
  readonly pace?: { readonly waitMs: number; readonly perSecond: number };
}

/** The prompt that makes the sub-agent's model give this answer. */
export function words({ tokens, pace }: Load): string {
  return pace ? `wait ${pace.waitMs}, say ${tokens}, ${pace.perSecond} a second` : `say ${tokens}`;
}

/** The token of this number. */
export function tokenText(n: number): string {
  return `token ${n} `;
}

/** The whole answer. */
export function answerText({ tokens }: Load): string {
  return Array.from({ length: tokens }, (_, n) => tokenText(n)).join("");
}
