import { comparable } from "./comparable.ts";
import { SUPERVISOR } from "./recorded-run.ts";
import type { RecordedWork, Recording } from "./recording.ts";

const MAX_LINE_LENGTH = 120;

/** What one agent answered in a recording, to be given again: each answer once, those to the same request in their order. */
export class RecordedAnswers {
  readonly #agent: string;
  readonly #left = new Map<string, RecordedWork[]>();
  readonly #given = new Map<string, RecordedWork>();

  constructor(agent: string, { turns }: Recording) {
    this.#agent = agent;
    for (const turn of turns) {
      const direct = { request: turn.message, does: turn.does ?? [], ...ending(turn) };
      if (turn.agent === agent && agent !== SUPERVISOR) this.#add(direct);
      for (const call of turn.calls ?? []) if (call.agent === agent) this.#add(call);
    }
  }

  /** The answer to a request; the same task gets the same again. Undefined: none was recorded. */
  for(taskId: string, request: string): RecordedWork | undefined {
    const known = this.#given.get(taskId);
    if (known) return known;
    const work = this.#left.get(comparable(request))?.shift();
    if (work) this.#given.set(taskId, work);
    return work;
  }

  /** Why there is no answer to a request, for whoever asked. */
  lack(request: string): string {
    const [line = ""] = request.split("\n", 1);
    return `No answer of ${this.#agent} to this request was recorded: ${line.slice(0, MAX_LINE_LENGTH)}`;
  }

  #add(work: RecordedWork): void {
    const key = comparable(work.request);
    this.#left.set(key, [...(this.#left.get(key) ?? []), work]);
  }
}

// An agent's own last words are not its answer where it failed.
function ending({ state, reason }: Recording["turns"][number]): Pick<RecordedWork, "state" | "reason"> {
  return { state, ...(reason !== undefined && { reason }) };
}
