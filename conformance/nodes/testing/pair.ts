import { numberedTokens, type Peer, type PeerOptions, startTaskPeer } from "../../peers/index.ts";
import { during } from "../../peers/testing/peer-client.ts";
import { newDatabase, type PlatformOptions, RecordPlatform } from "../../sessions/testing/record-platform.ts";
import { Pace } from "./pace.ts";
import { type PacedModel, startPacedModel } from "./paced-model.ts";

/** Two nodes on one Postgres, each with a data folder of its own, and agents that speak slowly: here, and elsewhere. */
export interface Pair {
  readonly database: string;
  readonly first: RecordPlatform;
  readonly second: RecordPlatform;
  /** An agent elsewhere, which is asked directly. */
  readonly slow: Peer;
  /** An agent elsewhere, which the supervisor asks. */
  readonly tides: Peer;
  /** The model of `teller`, which both nodes host. */
  readonly model: PacedModel;
  /** Their common pace. */
  readonly pace: Pace;
  /** The answer of each. */
  readonly whole: string;
}

/** What both nodes have, and each for itself. */
export interface PairOptions extends PlatformOptions {
  readonly first?: PlatformOptions;
  readonly second?: PlatformOptions;
  /** How many tokens each answer has: with one every two seconds, enough for as long as the test needs. */
  readonly length?: number;
}

const SLOW_MS = 2_000;
const skill = { id: "tides", name: "Tides", description: "Tells the tides at a harbour", tags: ["tides"] };

/** Starts them; they end with the test. */
export async function startPair(options: PairOptions = {}): Promise<Pair> {
  const { first = {}, second = {}, length = 150, ...both } = options;
  const pace = new Pace(SLOW_MS);
  const tokens = numberedTokens(length);
  const slow = await during(startPacedPeer(pace, tokens, { name: "slow" }));
  const about = { name: "tides", description: "Knows the tides", skills: [skill] };
  const tides = await during(startPacedPeer(pace, tokens, about));
  const model = await during(startPacedModel(tokens, pace));
  const database = (await newDatabase("Postgres")) ?? "";
  const teller = `---\ndescription: Tells stories.\nmodel: ${model.model}\n---\n\nYou tell stories.\n`;
  const common = { database, agentFiles: { teller }, ...both };
  const peers = { slow, tides };
  const begun = RecordPlatform.start(peers, { ...common, ...first });
  // An older program does not start beside a newer one's schema.
  if (first.main) await begun;
  const [one, other] = await Promise.all([begun, RecordPlatform.start(peers, { ...common, ...second })]);
  return { database, slow, tides, model, pace, whole: tokens.join(""), first: one, second: other };
}

function startPacedPeer(pace: Pace, tokens: readonly string[], about: PeerOptions): Promise<Peer> {
  return startTaskPeer(async (task) => {
    task.status("WORKING");
    for (const [place, text] of tokens.entries()) {
      const result = { artifactId: "result", name: "result", parts: [{ text }] };
      task.piece(result, { append: place > 0, lastChunk: place === tokens.length - 1 });
      await pace.pause();
    }
    task.status("COMPLETED");
  }, about);
}
