import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { carry, uncarry } from "../dialects/carried.ts";
import { v01Dialect } from "../dialects/v01/dialect.ts";
import { v03Dialect } from "../dialects/v03/dialect.ts";
import type { Json, Metadata } from "../protocol/model.ts";
import { memberIn, memberInPart, memberPart, RUN_EXTENSION, withMember } from "./extension-member.ts";
import { budget, planState, toolCall, toolResult } from "./members.ts";
import { MEMBERS } from "./testing/member-arbitraries.ts";

const overTheWire = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value));

describe.each(MEMBERS.map(([member, values]) => [member.name, member, values] as const))(
  "the member %s",
  (_, member, values) => {
    it("round-trips through metadata and through a data part", () => {
      fc.assert(
        fc.property(values, (value) => {
          const metadata = overTheWire(withMember({ other: 1 }, member, value));
          expect(memberIn(metadata, member)).toEqual({ value });
          expect(metadata.other).toBe(1);
          expect(memberInPart(overTheWire(memberPart(member, value)), member)).toEqual({ value });
        }),
      );
    });

    it("ignores members that it does not know", () => {
      fc.assert(
        fc.property(values, (value) => {
          const newer = { ...(value as Metadata), addedLater: [1] };
          expect(memberIn(withMember(undefined, member, newer), member)).toEqual({ value });
        }),
      );
    });

    it("never throws on any input, and reports what is invalid", () => {
      fc.assert(
        fc.property(fc.jsonValue(), (anything) => {
          const { value, finding } = memberIn(withMember(undefined, member, anything), member);
          expect([value, finding].filter((it) => it !== undefined)).toHaveLength(1);
          if (finding)
            expect([finding.member, finding.message]).toEqual([member.name, expect.stringMatching(/./)]);
          expect(() => memberIn({ [RUN_EXTENSION]: anything as Json }, member)).not.toThrow();
          expect(() => memberInPart({ data: anything as Json }, member)).not.toThrow();
        }),
      );
    });

    it("coexists with the older dialects' data under the same name", () => {
      fc.assert(
        fc.property(values, (value) => {
          const both = carry(withMember({ mine: true }, member, value), { messageId: "m" });
          expect(memberIn(both, member)).toEqual({ value });
          const { carried, metadata } = uncarry(both, ["messageId"]);
          expect([carried, memberIn(metadata, member)]).toEqual([{ messageId: "m" }, { value }]);
          expect(uncarry(withMember(both, member, value), ["messageId"]).carried).toEqual({ messageId: "m" });
        }),
      );
    });
  },
);

describe("members of the extension", () => {
  it("report the path of an invalid value", () => {
    const steps = [{ id: "1", title: "t", dependencies: [], state: "sleeping" }];
    const metadata = { [RUN_EXTENSION]: { execution_plan_state: { steps } } };
    expect(memberIn(metadata, planState).finding).toMatchObject({
      member: "execution_plan_state",
      path: "steps[0].state",
    });
  });

  it("are absent without a finding if not set", () => {
    expect([memberIn(undefined, budget), memberIn({}, budget), memberInPart({ text: "x" }, budget)]).toEqual([
      {},
      {},
      {},
    ]);
  });

  it("ignore inherited properties", () => {
    expect(memberIn({ [RUN_EXTENSION]: {} }, { ...budget, name: "constructor" })).toEqual({});
  });

  it("have a result or a blob, never both", () => {
    const both = { id: "1", outcome: "succeeded", result: 1, blob: { hash: "h", size: 1 }, durationMs: 1 };
    expect(memberIn({ [RUN_EXTENSION]: { toolResult: both } }, toolResult).finding?.path).toBe("blob");
  });

  it.each([v03Dialect, v01Dialect])("round-trip through $version unchanged", (dialect) => {
    const value = { id: "c", tool: "search", arguments: { q: "x" } };
    const message = {
      messageId: "m",
      taskId: "t",
      role: "ROLE_USER" as const,
      parts: [{ text: "hi" }, memberPart(toolCall, value)],
      metadata: withMember(undefined, toolCall, value),
    };
    const sent = overTheWire(dialect.encodeRequest("send", { message }));
    const got = dialect.decodeRequest("send", sent).message;
    expect(memberIn(got.metadata, toolCall)).toEqual({ value });
    expect(got.parts.map((part) => memberInPart(part, toolCall))).toEqual([{}, { value }]);
  });
});
