import { checksOf, fail, interfaceCheck, pass, skip } from "../check.ts";
import { streamed } from "../probes/conversation.ts";
import { unknownTaskId } from "../probes/interfaces.ts";

const REQUESTS = 5;
/** Fewer events say nothing about how their cost grows. */
const MIN_EVENTS = 400;
const SLOW_MS = 2_000;

/** Checks of how fast the agent is. */
export const performanceChecks = checksOf("Performance", [
  interfaceCheck(
    {
      id: "latency",
      title: "A simple request is answered quickly",
      clause: "ours: the median of 5 under 2 s",
      severity: "info",
      meaning: "Every request takes this long before any work is done.",
      remedy: "Look at the network, the authentication and the task storage.",
      oncePerVersion: true,
    },
    async (probe) => {
      const times: number[] = [];
      for (let request = 0; request < REQUESTS; request++) {
        const { failure, evidence, milliseconds } = (await probe.ask("get", { id: unknownTaskId() }))
          .exchange;
        if (failure !== undefined) return fail(failure, [evidence]);
        times.push(milliseconds);
      }
      const median = times.sort((one, other) => one - other)[Math.floor(REQUESTS / 2)] ?? 0;
      const detail = `${median.toFixed(1)} ms, the median of ${REQUESTS}`;
      return median < SLOW_MS ? pass(detail) : fail(detail);
    },
  ),
  interfaceCheck(
    {
      id: "first-event",
      title: "The first event of a stream arrives soon",
      clause: "A2A 1.0 §3.1.2; ours: under 2 s",
      severity: "info",
      meaning: "The user sees nothing for this long, although the task could be shown at once.",
      remedy: "Send the task before the work begins, and flush the headers; look for buffering proxies.",
      capability: "streaming",
    },
    async (probe) => {
      const { firstEvent, frames, report } = await streamed(probe);
      if (firstEvent === undefined) return skip("There is no stream to check");
      const total = frames.at(-1)?.time ?? firstEvent;
      const detail = `${Math.round(firstEvent)} ms to the first of ${report.events} events, ${Math.round(total)} ms to the last`;
      return firstEvent < SLOW_MS ? pass(detail) : fail(detail);
    },
  ),
  interfaceCheck(
    {
      id: "steady-pace",
      title: "Late events of a long stream arrive as fast as early ones",
      clause: "protocol.md, defect “cost of a streamed answer is quadratic”",
      severity: "should",
      meaning: "Every event costs more than the one before: long answers take hours.",
      remedy: "Do not store or copy the whole task with each chunk.",
      capability: "streaming",
      oncePerVersion: true,
    },
    async (probe) => {
      const { frames } = await streamed(probe);
      if (frames.length < MIN_EVENTS)
        return skip(`${frames.length} events are too few; use --message to request a long answer`);
      const quarter = Math.floor(frames.length / 4);
      const timeOf = (from: number, to: number) => (frames[to]?.time ?? 0) - (frames[from]?.time ?? 0);
      const [early, late] = [timeOf(0, quarter), timeOf(frames.length - 1 - quarter, frames.length - 1)];
      const detail = `The first ${quarter} events took ${Math.round(early)} ms, the last ${quarter} ${Math.round(late)} ms`;
      return late > 200 && late > 2.5 * Math.max(early, 1) ? fail(detail) : pass(detail);
    },
  ),
]);
