// npm run bench -- journal [--seconds N] [--rounds N] [--storage NAME]…: what the journal costs beside the raw limit of its storage.
import { parseArgs } from "node:util";
import { startPostgres } from "@parley/testing/postgres-server.ts";
import { measureFanOut } from "./journal/fan-out.ts";
import { bytesPerIdleStream } from "./journal/idle-streams.ts";
import { freshStorage, type Storage } from "./journal/storages.ts";
import { measureJournal, measureRaw } from "./journal/throughput.ts";
import { atLeast, atMost, type Bar, finish, median, print, progress, round } from "./report/bars.ts";

const STORAGES = ["memory", "sqlite", "postgres"] as const;
const { seconds, rounds, storages } = readOptions();
const bars: Bar[] = [];
const postgres = storages.includes("postgres") ? await startPostgres() : undefined;
const postgresUrl = postgres?.url ?? "";

try {
  for (const name of storages) {
    for (const streams of [1, 100, 1_000]) await throughput(name, streams);
    await fanOut(name);
    await idleStreams(name);
  }
} finally {
  await postgres?.stop();
}
finish("journal", bars);

/** Alternates ours and raw, so that other load affects both; the median of the ratios counts. */
async function throughput(name: Storage["name"], streams: number): Promise<void> {
  progress(`${name}: ${streams} streams, ${rounds} rounds of ${seconds} s each for ours and raw`);
  const ratios: number[] = [];
  const ours: number[] = [];
  const raws: number[] = [];
  const flushes: number[] = [];
  const sizes: number[] = [];
  for (let n = 0; n < rounds; n++) {
    const storage = await freshStorage(name, postgresUrl);
    const journal = await storage.open();
    const measured = await measureJournal(journal, streams, seconds);
    await journal.close();
    const size = await storage.size();
    const raw = await storage.raw();
    const limit = await measureRaw(raw, { streams, seconds, batch: measured.eventsPerFlush });
    await raw.close();
    await storage.remove();
    ratios.push(measured.eventsPerSecond / limit);
    ours.push(measured.eventsPerSecond);
    raws.push(limit);
    flushes.push(measured.eventsPerFlush);
    if (size !== undefined) sizes.push(size / measured.events);
  }
  const ratio = median(ratios);
  print({
    storage: name,
    streams,
    eventsPerSecond: Math.round(median(ours)),
    rawEventsPerSecond: Math.round(median(raws)),
    ratio: round(ratio),
    eventsPerFlush: Math.round(median(flushes)),
    ...(sizes.length > 0 && { bytesPerEvent: Math.round(median(sizes)) }),
  });
  if (streams === 100 && name !== "memory")
    bars.push(atLeast(`${name} of its raw limit at 100 streams`, ratio, 0.6));
}

async function fanOut(name: Storage["name"]): Promise<void> {
  const storage = await freshStorage(name, postgresUrl);
  const journal = await storage.open();
  for (const followers of [1, 1_000]) {
    progress(`${name}: ${followers} followers of one stream`);
    const measured = await measureFanOut(journal, journal, {
      stream: `followed-by-${followers}`,
      followers,
      events: 200,
    });
    print({ storage: name, followers, ...measured });
    if (followers === 1_000) {
      bars.push(
        atMost(`${name}: reads per flush for 1,000 followers of one stream`, measured.readsPerFlush, 1),
      );
    }
  }
  if (name === "postgres") {
    progress("postgres: 1,000 followers on another node");
    const other = await storage.open();
    const measured = await measureFanOut(journal, other, {
      stream: "followed-elsewhere",
      followers: 1_000,
      events: 200,
    });
    print({ storage: name, followers: 1_000, onAnotherNode: true, ...measured });
    bars.push(
      atMost("postgres: reads per flush for 1,000 followers on another node", measured.readsPerFlush, 1),
    );
    await other.close();
  }
  await journal.close();
  await storage.remove();
}

async function idleStreams(name: Storage["name"]): Promise<void> {
  const streams = 20_000;
  progress(`${name}: ${streams} idle streams`);
  const storage = await freshStorage(name, postgresUrl);
  const journal = await storage.open();
  print({
    storage: name,
    idleStreams: streams,
    heapBytesPerStream: Math.round(await bytesPerIdleStream(journal, streams)),
  });
  await journal.close();
  await storage.remove();
}

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        seconds: { type: "string", default: "1.5" },
        rounds: { type: "string", default: "5" },
        storage: { type: "string", multiple: true, default: [...STORAGES] },
      },
    });
    const [seconds, rounds] = [Number(values.seconds), Number(values.rounds)];
    if (!(seconds > 0)) throw new Error("--seconds must be a number above 0");
    if (!Number.isInteger(rounds) || rounds < 1) throw new Error("--rounds must be a whole number above 0");
    const unknown = values.storage.find((name) => !STORAGES.some((storage) => storage === name));
    if (unknown) throw new Error(`--storage must be one of ${STORAGES.join(", ")}, not ${unknown}`);
    return { seconds, rounds, storages: STORAGES.filter((storage) => values.storage.includes(storage)) };
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(1);
  }
}
