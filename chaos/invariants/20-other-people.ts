import { BORROWED, INTRUSION } from "../clients/attempts.ts";
import type { HttpAnswer } from "../clients/http-exchange.ts";
import { type Evidence, type SessionEntry, sessionsIn } from "../evidence/evidence.ts";
import { runsIn } from "../evidence/recorded-runs.ts";
import { difference, type Finding, findingOn, type Invariant, together } from "./invariant.ts";

/** Ids of sessions, runs and tasks in answers. A task id that a client chose is stored with a tag of its owner after `~`. */
const IDS = /(?:ses|run)_[\w-]+|[0-9a-f]{8}-[0-9a-f-]{27}(?:~[\w-]{16})?/g;

/** Unauthenticated callers learn only that; to other users resources look missing; and nobody reads or changes another's data. */
export const otherPeople: Invariant = {
  id: "20",
  promise: "nobody sees or guesses what is not theirs",
  check: (evidence) =>
    together(
      refusals(evidence),
      likeMissing(evidence),
      forbidden(evidence),
      chosenNames(evidence),
      lists(evidence),
      followersInOwnWorkspace(evidence),
      untouched(evidence),
    ),
};

function refusals({ attempts }: Evidence): Finding {
  return findingOn(attempts, ({ attempt, guise, node, real, listed }) => {
    const answer = real ?? listed;
    if (!answer || isAway(answer)) return undefined;
    const isKnown = guise === "intruder" || guise === "onlooker";
    if (isKnown ? listed !== undefined || isRefusal(answer) : answer.status === 401) return undefined;
    return {
      what: `${node} let ${guise} in: ${attempt}`,
      expected: isKnown ? "as for what is not there" : "401",
      found: `${answer.status} ${answer.text.slice(0, 300)}`,
    };
  });
}

function forbidden({ attempts }: Evidence): Finding {
  return findingOn(
    attempts.flatMap((one) => (one.forbidden ? [{ ...one, answer: one.forbidden }] : [])),
    ({ attempt, guise, node, answer }) =>
      answer.status >= 400
        ? undefined
        : {
            what: `${node} let ${guise} do what nobody like them may: ${attempt}`,
            found: `${answer.status} ${answer.text.slice(0, 300)}`,
          },
  );
}

/** An id that another user has is not rejected. */
function chosenNames({ attempts }: Evidence): Finding {
  return findingOn(
    attempts.flatMap((one) => (one.chosen && !isAway(one.chosen) ? [{ ...one, answer: one.chosen }] : [])),
    ({ attempt, guise, node, answer }) =>
      !isRefusal(answer) || answer.status === 429
        ? undefined
        : {
            what: `${node} refused ${guise} a name of their own: ${attempt}`,
            found: `${answer.status} ${answer.text.slice(0, 300)}`,
          },
  );
}

function likeMissing({ attempts }: Evidence): Finding {
  const pairs = attempts.flatMap(({ real, none, ...about }) =>
    real && none ? [{ ...about, real, none }] : [],
  );
  return findingOn(
    // A response from an unavailable platform proves nothing.
    pairs.filter(({ real, none }) => !isAway(real) && !isAway(none)),
    ({ attempt, guise, node, real, none }) => {
      const [expected, found] = [wholeOf(none), wholeOf(real)];
      if (expected === found) return undefined;
      const what = `${node} told ${guise} by ${attempt} that there is something`;
      return { what, ...difference(expected, found) };
    },
  );
}

function lists(evidence: Evidence): Finding {
  const owners = workspacesOf(evidence);
  const answers = evidence.attempts.flatMap(({ chosen, listed = chosen, attempt, workspace }) =>
    listed ? [{ listed, attempt, workspace }] : [],
  );
  return findingOn(answers, ({ listed, attempt, workspace }) => {
    const foreign = (listed.text.match(IDS) ?? []).find((id) => (owners.get(id) ?? workspace) !== workspace);
    return foreign === undefined
      ? undefined
      : { what: `${attempt} tells an intruder of ${owners.get(foreign)}'s things`, found: foreign };
  });
}

/** Each frame a follower received belongs to its own workspace. */
function followersInOwnWorkspace(evidence: Evidence): Finding {
  const owners = workspacesOf(evidence);
  const frames = evidence.followers.flatMap(({ name, workspace, streams }) =>
    streams.flatMap(({ frames: all }) => all.map(({ data }) => ({ name, workspace, data }))),
  );
  return findingOn(frames, ({ name, workspace, data }) => {
    const { sessionId } = JSON.parse(data) as { readonly sessionId?: string };
    const owner = sessionId === undefined ? workspace : owners.get(sessionId);
    if (owner === undefined || owner === workspace) return undefined;
    return {
      what: `${name} received an event of a session of ${owner}`,
      session: sessionId ?? "",
      found: data,
    };
  });
}

/** No intruder's text is in the record, no session was forked across workspaces, and only authorized users cancelled runs. */
function untouched(evidence: Evidence): Finding {
  if (evidence.attempts.length === 0) return { checked: 0, violations: [] };
  const owners = workspacesOf(evidence);
  const intruders = new Set(evidence.attempts.map(({ workspace }) => workspace));
  const cancelled = new Set(
    evidence.commands.flatMap(({ path }) => /\/runs\/([^/]+)\/cancel$/.exec(path)?.[1] ?? []),
  );
  return together(
    findingOn(sessionsIn(evidence), ([session, entries]) => {
      const marked = entries.find(({ event }) => JSON.stringify(event).includes(INTRUSION));
      if (marked) return { what: "an intruder's text is in the record", session, index: marked.index };
      const borrowed = entries.find(({ event }) => JSON.stringify(event).includes(BORROWED));
      if (borrowed && !intruders.has(owners.get(session) ?? ""))
        return { what: "what an intruder said in a context is in it", session, index: borrowed.index };
      const parent = createdIn(entries)?.parent?.sessionId;
      if (parent === undefined || owners.get(parent) === owners.get(session)) return undefined;
      return { what: `a fork of ${owners.get(parent)}'s session belongs to ${owners.get(session)}`, session };
    }),
    findingOn(
      runsIn(evidence).filter(({ ends: [end] }) => end?.event.type === "agent_cancelled"),
      ({ id, sessionId, ends: [end] }) =>
        cancelled.has(id) || isEdit(sessionsIn(evidence).get(sessionId)?.[(end?.index ?? 0) - 2])
          ? undefined
          : { what: `run ${id} was cancelled by nobody who may`, session: sessionId, index: end?.index ?? 0 },
    ),
  );
}

/** The workspace of each session, and of its runs. */
function workspacesOf(evidence: Evidence): Map<string, string> {
  const owners = new Map<string, string>();
  for (const [id, entries] of sessionsIn(evidence)) {
    const workspace = createdIn(entries)?.workspace;
    if (workspace === undefined) continue;
    owners.set(id, workspace);
    for (const { event } of entries) if (event.type === "agent_start") owners.set(event.runId, workspace);
  }
  return owners;
}

/** Editing a message also ends the run that answers it. */
function isEdit(before: SessionEntry | undefined): boolean {
  return before?.event.type === "edit" && !JSON.stringify(before.event).includes(INTRUSION);
}

function createdIn(entries: readonly SessionEntry[]) {
  const event = entries[0]?.event;
  return event?.type === "session_created" ? event : undefined;
}

/** The platform could not authenticate or look up the resource. */
function isAway({ status, retryAfter }: HttpAnswer): boolean {
  return status === 503 && Number(retryAfter) > 0;
}

function isRefusal({ status, text }: HttpAnswer): boolean {
  return status >= 400 || (text.includes('"error":{') && !text.includes('"result":'));
}

function wholeOf({ status, headers, text }: HttpAnswer): string {
  return `${status}\n${headers}\n${text}`;
}
