import { describe, expect, it } from "vitest";
import { good } from "../peers/faulty-peers.ts";
import { FAULTS, type Fault, startFaultyPeer, startScriptedPeer } from "../peers/index.ts";
import { during } from "../peers/testing/peer-client.ts";
import { examined } from "./testing/examined.ts";

/** How each fault is reported: the check, and part of its finding. */
const NAMES: Readonly<Record<Fault, readonly [check: string, words: RegExp]>> = {
  "no stream method": ["stream", /HTTP 200 with application\/json \(-32601: Method not found\)/],
  "plain JSON for a stream": ["http-content-type", /A stream has application\/json/],
  "endless stream": ["stream-end", /Did not end within/],
  "10,000 artifacts": ["stream-size", /10000 artifacts/],
  "20 MB in one event": ["stream-size", /an event of 2097\d{4} characters/],
  "20 MB in many events": ["stream-size", /The stream has 2\d{7} bytes/],
  "appended before it was begun": ["artifact-append", /Event 3: append-to-nothing/],
  "every event twice": ["stream-begin", /Events are sent twice: Event 2: task-twice/],
  "events of another task": ["stream-one-task", /other-task, a task of another-/],
  "artifacts without an id": ["artifact-id", /artifact-without-id.*and 2 more/],
  "no final status": ["stream-end", /no-final-status, the last state is working/],
  "final status twice": ["stream-end", /after-final, artifact after the end, and 2 more/],
  "garbage between frames": ["stream-frames", /unreadable.*this is not JSON/],
  "changing card": ["card-stable", /The two cards differ/],
  "card of 2 MB": ["card-size", /2000\d{3} characters/],
};

describe("the doctor identifies the fault of an agent (+8)", { timeout: 180_000 }, () => {
  it.each(Object.keys(FAULTS) as Fault[])("%s", async (fault) => {
    const { url } = await during(startFaultyPeer(fault));
    const [check, words] = NAMES[fault];
    const timeout = fault === "endless stream" ? "3" : "30";
    const { found, ids, code } = await examined(url, "--timeout", timeout, "--only", check);
    expect(found(check)).toMatch(words);
    expect(code).toBe(ids("fail").length > 0 ? 1 : 0);
  });

  it("reports a task that ends in its stream but keeps working in its record (D3)", async () => {
    const { url } = await during(
      startScriptedPeer({
        steps: good,
        record: (say) => say.record("WORKING", { result: "One two three." }),
      }),
    );
    const { found, code } = await examined(url, "--timeout", "3", "--only", "get", "--only", "ended-stays");
    expect(found("get")).toContain("The stream ended with completed, but the task is working");
    expect(found("ended-stays")).toContain("The task had ended, and is working again");
    expect(code).toBe(1);
  });

  it("reports nothing for a stream without a fault", async () => {
    const { url } = await during(
      startScriptedPeer({
        steps: good,
        record: (say) => say.record("COMPLETED", { result: "One two three." }),
      }),
    );
    const { ids, code } = await examined(url, "--only", "stream-", "--only", "artifact-", "--only", "card-");
    expect([ids("fail"), code]).toEqual([[], 0]);
  });
});
