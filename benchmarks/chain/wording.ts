/** The name of the sub-agent. */
export const AGENT = "speaker";

/** One answer: how many tokens, after what time, and at which pace; without one, as fast as they are taken. */
export interface Load {
  readonly tokens: number;
  readonly pace?: { readonly waitMs: number; readonly perSecond: number };
}

/** What the sub-agent is told, so that its model gives this answer. */
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
