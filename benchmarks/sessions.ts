// npm run bench -- sessions [--rounds N] [--profile FOLDER] [--only restoring|streaming|watching|listing]: a session of
// 10,000 events restored beside reading the same rows raw; events from an agent through the supervisor and the record
// to clients of the event stream beside the raw SSE ceiling; 2,000 watchers; lists and searches over 10,000 sessions.
// Each part is a process of its own, on SQLite, over HTTP.
import { parseArgs } from "node:util";
import { Chain } from "./chain/chain.ts";
import { type Bar, finish } from "./report/bars.ts";
import { listing } from "./sessions/listing.ts";
import { restoring } from "./sessions/restoring.ts";
import { streaming } from "./sessions/streaming.ts";
import { watching } from "./sessions/watching.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    profile: { type: "string" },
    only: { type: "string" },
  },
});
const rounds = Math.max(1, Number(values.rounds) || 5);
const parts: Record<string, (chain: Chain, rounds: number) => Promise<Bar[]>> = {
  restoring,
  streaming,
  watching,
  listing,
};

const bars: Bar[] = [];
for (const [name, measure] of Object.entries(parts)) {
  if (values.only !== undefined && values.only !== name) continue;
  // Each on its own platform, because leftovers of one would slow the next.
  const chain = await Chain.start({ profile: values.profile, speaker: "executor" });
  try {
    bars.push(...(await measure(chain, rounds)));
  } finally {
    await chain.stop();
  }
}
finish("sessions", bars);
