import type { GrpcExchange } from "./grpc-exchange.ts";
import type { HttpAnswer, HttpExchange, HttpQuestion } from "./http-exchange.ts";
import type { Random } from "./random.ts";

/** The connections over which requests are sent. */
interface FuzzWires {
  readonly http: HttpExchange;
  readonly grpc: GrpcExchange;
}

/** Tasks of the agent under test that requests may name. */
export interface KnownTasks {
  readonly completed: string;
  readonly waiting: string;
}

/** A request and what its answer has to be. */
export interface Probe {
  /** How much is sent, in bytes. */
  readonly size: number;
  /** Sends it: what is wrong with the answer; undefined: nothing. */
  ask(wires: FuzzWires): Promise<string | undefined>;
  /** The request, for a report. */
  shown(): string;
}

/** A request over HTTP and what its answer has to be. */
export function httpProbe(question: HttpQuestion, judge: (answer: HttpAnswer) => string | undefined): Probe {
  const { path: place, headers: given, body: sent } = question;
  return {
    size: place.length + JSON.stringify(given).length + (sent?.length ?? 0),
    ask: async ({ http }) => judge(await http.ask(question)),
    shown() {
      const { method, path, headers, body } = question;
      return `${method} ${path} ${JSON.stringify(headers)} ${JSON.stringify(body?.toString("latin1").slice(0, 600))}`;
    },
  };
}

/** One way to reach the agent: a binding in a dialect. A further one joins the fuzzing by being listed. */
export interface FuzzTarget {
  readonly name: string;
  /** A request, good about one time in twenty and otherwise spoilt. */
  probe(tasks: KnownTasks, random: Random): Probe;
}

/** The requests of a dialect that are as they should be, by a name for reports. */
export type GoodRequests = Readonly<Record<string, (tasks: KnownTasks) => object>>;
