import { takesMediaType } from "@parley/a2a";
import type { Rule } from "@parley/a2a/checks";
import { beside, type Finding, right, type Severity, wrong } from "../check.ts";
import type { Examination } from "../examination.ts";
import { claims, mainCard } from "../probes/cards.ts";
import { errorIn, idIn, isStream, type SeenStream } from "../probes/seen-stream.ts";
import { streamed } from "../probes/talk.ts";
import type { Way } from "../probes/way.ts";
import { type About, checksOf, type UnlistedCheck, wayCheck } from "./define.ts";

const LARGE_EVENT = 1_048_576;
const LARGE_STREAM = 16 * 1_048_576;
const MANY_ARTIFACTS = 1_000;

/** The shape of a stream. */
export const streamChecks = checksOf("Stream", [
  streamCheck(
    {
      id: "stream-frames",
      title: "Every frame is an event of the version",
      clause: "A2A 1.0 §9.4.2, §11.7; 0.3 §7.2",
      severity: "must",
      meaning: "Frames that are no events end the stream of a strict client.",
      remedy: "Send one JSON document for each event, in data lines, with an empty line after it.",
    },
    byRules(["unreadable", "mixed-dialects"]),
  ),
  streamCheck(
    {
      id: "stream-envelope",
      title: "Every frame carries the id of its request",
      clause: "A2A 1.0 §9.4.2; JSON-RPC 2.0 §5",
      severity: "must",
      meaning: "A client cannot tell which request an event answers.",
      remedy: "Repeat jsonrpc and the request's id in each frame.",
    },
    ({ wire, frames }, way) => {
      if (way.endpoint.binding !== "JSONRPC") return undefined;
      const asked = idIn(wire.request.body ?? "");
      const odd = frames.filter(
        ({ data }) => data.length < 4_096 && idIn(data) !== asked && idIn(data) !== undefined,
      );
      const missing = frames.filter(
        ({ data }) => data.length < 4_096 && data.includes('"result"') && idIn(data) === undefined,
      );
      if (odd.length + missing.length === 0) return right("It does");
      return wrong(`${odd.length + missing.length} of ${frames.length} frames carry another id or none`, [
        wire.evidence,
      ]);
    },
  ),
  streamCheck(
    {
      id: "stream-begin",
      title: "A stream begins with its task, once, or is one message",
      clause: "A2A 1.0 §3.1.2 (0.1: begins with a status)",
      severity: "must",
      meaning: "A client does not know which task it is watching, or takes it for two.",
      remedy: "Send the Task first and only then status and artifact updates; send each event once.",
    },
    (seen) => {
      const found = byRules(["task-first", "task-twice"])(seen);
      return found.is === "wrong" && comesTwice(seen)
        ? { ...found, detail: `Events come twice: ${found.detail}` }
        : found;
    },
  ),
  streamCheck(
    {
      id: "stream-end",
      title: "A stream ends, with exactly one terminal status, and nothing comes after it",
      clause: "A2A 1.0 §3.1.2; protocol.md, “What implementers get wrong”",
      severity: "must",
      meaning: "A client waits for ever, takes half an answer for a whole one, or sees a finished task move.",
      remedy:
        "Send a terminal (or input-required) status last, close the stream then, and send nothing more.",
    },
    (seen, _way, examination) => {
      const { wire } = seen;
      if (wire.end === "too long")
        return wrong(
          `It did not end within ${examination.options.timeout / 1_000} s (${seen.report.events} events); --timeout gives it longer`,
          [wire.evidence],
        );
      if (wire.end === "too large" || wire.end === "left")
        return wrong(`It did not end within ${seen.report.events} events and ${wire.bytes} bytes`, [
          wire.evidence,
        ]);
      if (wire.end === "broken") return wrong(`It broke off: ${wire.failure}`, [wire.evidence]);
      const failure = errorIn(seen);
      if (failure !== undefined) return wrong(`It ends with an error: ${failure}`, [wire.evidence]);
      return byRules(["after-final", "no-final-status"])(seen);
    },
  ),
  streamCheck(
    {
      id: "stream-final",
      title: "final is true on the last status, and only there",
      clause: "A2A 0.3 §7.2.2; 0.1 TaskStatusUpdateEvent",
      severity: "must",
      meaning: "Clients of v0.3 and v0.1 close at final: too early, or never.",
      remedy: "Set final: true on terminal and input-required states, false on all others.",
    },
    (seen, way) => (way.endpoint.dialect === "1.0" ? undefined : byRules(["final-flag"])(seen)),
  ),
  streamCheck(
    {
      id: "stream-one-task",
      title: "All events are of one task and one context",
      clause: "A2A 1.0 §3.1.2, §4.2",
      severity: "must",
      meaning: "A client mixes two answers, or one caller sees another's.",
      remedy: "Send only events of the task that the stream began with, with its taskId and contextId.",
    },
    byRules(["other-task", "other-context"]),
  ),
  streamCheck(
    {
      id: "stream-states",
      title: "States follow each other as they can",
      clause: "A2A 1.0 §4.1.3; protocol.md",
      severity: "should",
      meaning: "A state that does not exist, or one that goes back, confuses whoever shows progress.",
      remedy: "submitted, working, then a terminal or interrupted state; nothing follows a terminal one.",
    },
    byRules(["illegal-state"]),
  ),
  streamCheck(
    {
      id: "stream-index",
      title: "Event ids rise",
      clause: "HTML §9.2 (Last-Event-ID)",
      severity: "should",
      meaning: "Who resumes after an id gets events twice, or loses some.",
      remedy: "Give each event an id that is larger than the one before, or none.",
    },
    (seen) =>
      seen.frames.some(({ id }) => id !== undefined)
        ? byRules(["index-not-rising"])(seen)
        : beside("It gives none"),
  ),
  streamCheck(
    {
      id: "stream-size",
      title: "Events and streams are of a size that clients take",
      clause: "protocol.md (ours: 1 MB an event, 16 MB a stream, 1,000 artifacts)",
      severity: "should",
      meaning: "Clients bound what they read, and break off.",
      remedy: "Send large content in pieces, or by URL, and fewer artifacts.",
    },
    ({ wire, report, frames }) => {
      const largest = report.events > 0 ? Math.round(wire.bytes / report.events) : 0;
      const found = [
        ...(frames.some(({ size }) => size > LARGE_EVENT)
          ? [`an event of ${Math.max(...frames.map(({ size }) => size))} characters`]
          : []),
        ...(wire.bytes > LARGE_STREAM ? [`${wire.bytes} bytes`] : []),
        ...(report.artifacts.length > MANY_ARTIFACTS ? [`${report.artifacts.length} artifacts`] : []),
      ];
      if (found.length > 0) return wrong(`It has ${found.join(", ")}`);
      return right(`${wire.bytes} bytes, ${largest} an event`);
    },
  ),
]);

/** What comes of the pieces of a stream. */
export const artifactChecks = checksOf("Artifacts", [
  streamCheck(
    {
      id: "artifact-append",
      title: "append extends an artifact that has been begun",
      clause: "A2A 1.0 §4.2.2; protocol.md, “What implementers get wrong”",
      severity: "must",
      meaning: "The first piece appends to nothing: clients drop it, or join the text wrongly.",
      remedy: "Send the first piece of each artifact with append: false.",
    },
    byRules(["append-to-nothing"]),
  ),
  streamCheck(
    {
      id: "artifact-last-chunk",
      title: "Nothing is appended after lastChunk",
      clause: "A2A 1.0 §4.2.2",
      severity: "must",
      meaning: "A client that acted on the whole artifact had only a part of it.",
      remedy: "Set lastChunk on the last piece alone.",
    },
    byRules(["append-after-last-chunk"]),
  ),
  streamCheck(
    {
      id: "artifact-id",
      title: "Every artifact has an id",
      clause: "A2A 1.0 §4.1.7; 0.3 §6.7",
      severity: "must",
      meaning: "Pieces cannot be joined: nobody knows what they belong to.",
      remedy: "Give each artifact an artifactId, and repeat it with each piece.",
    },
    byRules(["artifact-without-id"]),
  ),
  streamCheck(
    {
      id: "artifact-snapshot",
      title: "A snapshot repeats what it is a snapshot of",
      clause: "protocol.md, “Our extension”",
      severity: "should",
      meaning: "partial_result and streaming_result tell two answers.",
      remedy: "Repeat the streamed text exactly.",
    },
    byRules(["snapshot-differs"]),
  ),
  wayCheck(
    {
      id: "artifact-output-modes",
      title: "Artifacts are of the types that the card lists as output modes",
      clause: "A2A 1.0 §4.4.1, §4.4.5; 0.3 §5.5",
      severity: "should",
      meaning: "A client that chose the agent by its output modes gets what it cannot show.",
      remedy:
        "List every media type that the agent sends in defaultOutputModes, or in its skills' outputModes.",
    },
    async (examination, way) => {
      const card = (await mainCard(examination))?.reading?.card;
      if (!card || !(await claims(examination)).streaming) return beside("There is no stream to look at");
      const { mediaTypes, wire } = await streamed(examination, way);
      const listed = [
        ...card.defaultOutputModes,
        ...card.skills.flatMap(({ outputModes = [] }) => outputModes),
      ];
      const modes = listed.flatMap((mode) => OLD_MODES[mode] ?? [mode]);
      const others = [...mediaTypes].filter((type) => !takesMediaType(modes, type));
      if (others.length === 0) return right([...mediaTypes].join(", ") || "No artifacts");
      return wrong(`It sends ${others.join(", ")}, and lists ${listed.join(", ") || "nothing"}`, [
        wire.evidence,
      ]);
    },
  ),
]);

/** How cards named their modes before they were media types. */
const OLD_MODES: Readonly<Record<string, readonly string[]>> = {
  text: ["text/*"],
  data: ["application/json"],
  file: ["*/*"],
};

type Judge = (seen: SeenStream, way: Way, examination: Examination) => Finding | undefined;

function streamCheck(about: About, judge: Judge): UnlistedCheck {
  return wayCheck(about, async (examination, way) => {
    if (!(await claims(examination)).streaming) return beside("The card does not claim streaming");
    const seen = await streamed(examination, way);
    if (!isStream(seen.wire) || seen.frames.length === 0) return beside("There is no stream to look at");
    return judge(seen, way, examination);
  });
}

function byRules(rules: readonly Rule[], severity?: Severity): (seen: SeenStream) => Finding {
  return ({ wire, faults, report }) => {
    const found = faults.filter(({ rule }) => rules.includes(rule));
    const [first] = found;
    if (!first) return right(`${report.events} events`);
    const more = found.length > 1 ? `, and ${found.length - 1} more` : "";
    return wrong(`Event ${first.event}: ${first.rule}, ${first.detail}${more}`, [wire.evidence], severity);
  };
}

/** Half of the frames repeat the one before: no text does that. */
function comesTwice({ frames }: SeenStream): boolean {
  const repeats = frames.filter(({ data }, place) => data === frames[place - 1]?.data).length;
  return frames.length >= 4 && repeats * 2 >= frames.length;
}
