import { setTimeout as sleep } from "node:timers/promises";
import type { KillRig } from "./kill-rig.ts";
import type { ManyLives } from "./many-lives.ts";
import type { Reading } from "./reading.ts";

/** An answer is there so long after the last restart, or it is said why not. */
export const WITHIN_MS = 20_000;
/** Conversations under way at each kill, so that one kill comes at a different moment of each. */
const AT_ONCE = 2;
/** A conversation may go through several kills before its end is waited for. */
const OPEN = 4;

export interface KillRoundsOptions {
  readonly kills: number;
  /** Whom to ask: the one or the other team, by turns. */
  readonly teams: readonly (readonly string[])[];
  /** Whom to kill: one of these at a time. */
  readonly victims: readonly ManyLives[];
  readonly chance: () => number;
}

/** A conversation that has come to its end. */
export interface EndedRound {
  readonly agents: readonly string[];
  readonly request: string;
  readonly reading: Reading;
  /** Whether the kill came before its end. */
  readonly cutShort: boolean;
}

/** Kills at random moments of conversations, lets the killed live again, and yields the conversations at their end. */
export async function* killRounds(rig: KillRig, options: KillRoundsOptions): AsyncGenerator<EndedRound> {
  const { kills, teams, victims, chance } = options;
  const began = performance.now();
  await rig.ask({ agents: teams[0] ?? [], request: "undisturbed" }).end(WITHIN_MS);
  const longest = performance.now() - began;
  const open: EndedRound[] = [];
  for (let kill = 0; kill < kills; kill++) {
    const victim = victims[Math.floor(chance() * victims.length)];
    const rounds: Omit<EndedRound, "cutShort">[] = [];
    for (let n = 0; n < AT_ONCE; n++) {
      const request = `request ${kill}.${n}`;
      const agents = teams[(kill * AT_ONCE + n) % teams.length] ?? [];
      rounds.push({ agents, request, reading: rig.ask({ agents, request }) });
      await sleep((chance() * longest) / AT_ONCE);
    }
    await victim?.kill();
    open.push(...rounds.map((round) => ({ ...round, cutShort: !round.reading.isOver })));
    await victim?.begin();
    yield* ended(open.splice(0, open.length - OPEN));
  }
  yield* ended(open);
}

async function* ended(rounds: readonly EndedRound[]): AsyncGenerator<EndedRound> {
  for (const round of rounds) {
    await round.reading.end(WITHIN_MS);
    yield round;
  }
}
