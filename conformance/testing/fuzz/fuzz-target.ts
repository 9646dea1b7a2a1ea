import type { HttpAnswer, HttpQuestion } from "./http-exchange.ts";
import type { Random } from "./random.ts";

/** Tasks of the agent under test that requests may name. */
export interface KnownTasks {
  readonly completed: string;
  readonly waiting: string;
}

/** A request and what its answer has to be. */
export interface Probe {
  readonly question: HttpQuestion;
  /** What is wrong with the answer; undefined: nothing. */
  judge(answer: HttpAnswer): string | undefined;
}

/** One way to reach the agent: a binding in a dialect. A further one joins the fuzzing by being listed. */
export interface FuzzTarget {
  readonly name: string;
  /** A request, good about one time in twenty and otherwise spoilt. */
  probe(tasks: KnownTasks, random: Random): Probe;
}

/** The requests of a dialect that are as they should be, by a name for reports. */
export type GoodRequests = Readonly<Record<string, (tasks: KnownTasks) => object>>;
