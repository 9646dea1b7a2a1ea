import { execFileSync } from "node:child_process";
import { systemTool } from "@parley/testing/system-tool.ts";
import { expect, it } from "vitest";
import { EventFollower } from "../sessions/testing/event-follower.ts";
import { allSpeak, beginRuns, endedWell, goOn } from "./testing/many-runs.ts";
import { startPair } from "./testing/pair.ts";

const HOUR_MS = 3_600_000;

/** The clock of a process is wrong by so much, for all that asks the system. */
function clockOff(by: string): Record<string, string> {
  const inside = execFileSync(systemTool("faketime"), ["-f", by, "env"], { encoding: "utf8" });
  const [, library = ""] = /^LD_PRELOAD=(.*)$/m.exec(inside) ?? [];
  expect(library).toContain("libfaketime");
  // The monotonic clock is not shifted.
  return { LD_PRELOAD: library, FAKETIME: by, FAKETIME_DONT_FAKE_MONOTONIC: "1", DONT_FAKE_MONOTONIC: "1" };
}

it("invariant 17: two nodes whose clocks are two hours apart take over no runs while both live, and all of them when one dies", {
  timeout: 300_000,
}, async () => {
  // Long enough that a busy machine loses none while its node lives, and far shorter than the clocks are apart.
  const lease = { PARLEY_LEASE: "12" };
  const { first, second, pace, whole } = await startPair({
    first: { environment: { ...lease, ...clockOff("+1h") } },
    second: { environment: { ...lease, ...clockOff("-1h") } },
  });
  const client = await new EventFollower(second.url).ready();
  const sessions = await beginRuns(first.api, 5);
  await allSpeak(client, sessions);
  const times = (at: number) => sessions.map((id) => Date.parse(client.of(id).at(at)?.timestamp ?? ""));
  for (const time of times(-1)) expect(Math.abs(time - Date.now() - HOUR_MS)).toBeLessThan(HOUR_MS / 2);
  // The second has looked for work several times by now.
  await goOn(client, sessions, 60_000);
  expect(second.output).not.toContain("run taken");

  await first.kill();
  await goOn(client, sessions, 60_000);
  pace.hurry();
  for (const id of sessions) {
    const events = await endedWell(second.api, { id, whole });
    await expect.poll(() => client.of(id).at(-1)?.index, { timeout: 60_000 }).toBe(events.length);
    expect(client.of(id)).toEqual(events);
  }
  // Order does not follow timestamps.
  for (const [place, time] of times(-1).entries()) expect(time).toBeLessThan(times(0)[place] ?? 0);
});
