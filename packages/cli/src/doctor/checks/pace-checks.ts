import { beside, right, wrong } from "../check.ts";
import { claims } from "../probes/cards.ts";
import { streamed } from "../probes/talk.ts";
import { ask } from "../probes/way.ts";
import { mainWays, unknownTask } from "../probes/ways.ts";
import { checksOf, wayCheck } from "./define.ts";

const QUESTIONS = 5;
/** Fewer events say nothing about how their cost grows. */
const MANY_EVENTS = 400;
const SLOW_ANSWER = 2_000;

/** How quick the agent is. */
export const paceChecks = checksOf("Pace", [
  wayCheck(
    {
      id: "latency",
      title: "A simple question is answered quickly",
      clause: "ours: the median of 5 under 2 s",
      severity: "info",
      meaning: "Each question costs this much before any work is done.",
      remedy: "Look at the network, the authentication and the storage of tasks.",
    },
    async (examination, way) => {
      const times: number[] = [];
      for (let place = 0; place < QUESTIONS; place++) {
        const { exchange } = await ask(examination, way, {
          operation: "get",
          request: { id: unknownTask() },
        });
        if (exchange.failure !== undefined) return wrong(exchange.failure, [exchange.evidence]);
        times.push(exchange.milliseconds);
      }
      const median = times.sort((one, other) => one - other)[Math.floor(QUESTIONS / 2)] ?? 0;
      const words = `${median.toFixed(1)} ms, the median of ${QUESTIONS}`;
      return median < SLOW_ANSWER ? right(words) : wrong(words);
    },
    mainWays,
  ),
  wayCheck(
    {
      id: "first-event",
      title: "The first event of a stream comes soon",
      clause: "A2A 1.0 §3.1.2; ours: under 2 s",
      severity: "info",
      meaning: "Whoever asks sees nothing for so long, although the task could be shown at once.",
      remedy: "Send the task before the work begins, and flush the headers; look for proxies that buffer.",
    },
    async (examination, way) => {
      if (!(await claims(examination)).streaming) return beside("The card does not claim streaming");
      const { firstEvent, frames, report } = await streamed(examination, way);
      if (firstEvent === undefined) return beside("There is no stream to look at");
      const total = frames.at(-1)?.time ?? firstEvent;
      const words = `${Math.round(firstEvent)} ms to the first of ${report.events} events, ${Math.round(total)} ms to the last`;
      return firstEvent < SLOW_ANSWER ? right(words) : wrong(words);
    },
  ),
  wayCheck(
    {
      id: "steady-pace",
      title: "Late events of a long stream come as quickly as early ones",
      clause: "protocol.md, defect “cost of a streamed answer is quadratic”",
      severity: "should",
      meaning: "Each event costs more than the one before: long answers take hours.",
      remedy: "Do not store or copy the whole task with each piece.",
    },
    async (examination, way) => {
      if (!(await claims(examination)).streaming) return beside("The card does not claim streaming");
      const { frames } = await streamed(examination, way);
      if (frames.length < MANY_EVENTS)
        return beside(`${frames.length} events say nothing: give --message something with a long answer`);
      const quarter = Math.floor(frames.length / 4);
      const timeOf = (from: number, to: number) => (frames[to]?.time ?? 0) - (frames[from]?.time ?? 0);
      const [early, late] = [timeOf(0, quarter), timeOf(frames.length - 1 - quarter, frames.length - 1)];
      const words = `The first ${quarter} events took ${Math.round(early)} ms, the last ${quarter} ${Math.round(late)} ms`;
      return late > 200 && late > 2.5 * Math.max(early, 1) ? wrong(words) : right(words);
    },
    mainWays,
  ),
]);
