import {
  ApiClient,
  type Connectivity,
  EventFeed,
  MemoryCache,
  SyncEngine,
  type SyncState,
  shownSession,
} from "@parley/client";
import { expect, it, onTestFinished } from "vitest";
import { startSlowPeer } from "../peers/index.ts";
import { during } from "../peers/testing/peer-client.ts";
import { newDatabase, RecordPlatform, STORAGES } from "./testing/record-platform.ts";

const QUEUED = 5;
const backoff = { firstMs: 20, maxMs: 500 };

/** A network that the test switches on and off. */
class Network implements Connectivity {
  isOnline = true;
  readonly #listeners = new Set<(isOnline: boolean) => void>();

  subscribe(listener: (isOnline: boolean) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  turn(isOnline: boolean): void {
    this.isOnline = isOnline;
    for (const listener of [...this.#listeners]) listener(isOnline);
  }
}

/** The client as a page has it, ended with the test. */
async function openPage(baseUrl: string, cache: MemoryCache, connectivity: Network): Promise<SyncEngine> {
  const client = new ApiClient({ baseUrl, backoff });
  const feed = new EventFeed({ baseUrl, backoff, connectivity });
  const page = await SyncEngine.start({ client, feed, cache, connectivity, backoff });
  onTestFinished(() => page.stop());
  return page;
}

const messagesOf = (state: SyncState, id: string) =>
  (shownSession(state, id)?.messages ?? []).map(({ role, content }) => [role, content]);

it.each(STORAGES)(
  "invariant 19: on %s a client that was offline, closed and disconnected by a crash converges, and each queued send happens once",
  {
    timeout: 180_000,
  },
  async (storage) => {
    const peer = await during(startSlowPeer({ tokens: ["I ", "heard"], pause: 5 }));
    const platform = await RecordPlatform.start({ peer }, { database: await newDatabase(storage) });
    const cache = new MemoryCache();
    const network = new Network();
    const before = await openPage(platform.url, cache, network);
    const first = before.create({ title: "Before", agent: "peer" });
    before.send(first, "Online");
    await expect.poll(() => messagesOf(before.state, first), { timeout: 60_000 }).toHaveLength(2);
    await expect.poll(() => before.state.queue).toEqual([]);

    network.turn(false);
    const written = Array.from({ length: QUEUED }, (_, n) =>
      before.create({ title: `Offline ${n}`, agent: "peer" }),
    );
    for (const id of written) before.send(id, `Said in ${id}`);
    before.send(first, "Offline");
    await before.stop();
    // Meanwhile another client is active, and the server crashes.
    await platform.api.call("PATCH", `/sessions/${first}`, { title: "Renamed by another" });
    await platform.kill();

    const after = await openPage(platform.url, cache, network);
    for (const id of [first, ...written]) await after.open(id);
    expect(after.state.queue).toHaveLength(2 * QUEUED + 1);
    network.turn(true);
    await platform.restart();
    await expect.poll(() => after.state.queue, { timeout: 60_000 }).toEqual([]);
    for (const id of [first, ...written]) {
      const { messages } = await platform.api.ended(id);
      const recorded = messages.map(({ role, content }) => [role, content]);
      const asked = id === first ? ["Online", "Offline"] : [`Said in ${id}`];
      expect(recorded).toEqual(
        asked.flatMap((content) => [
          ["user", content],
          ["assistant", "I heard"],
        ]),
      );
      await expect.poll(() => messagesOf(after.state, id), { timeout: 60_000 }).toEqual(recorded);
    }
    const { sessions } = await platform.api.call<{ sessions: { id: string; title: string }[] }>(
      "GET",
      "/sessions",
    );
    expect(sessions.map(({ id }) => id).toSorted()).toEqual([first, ...written].toSorted());
    await expect
      .poll(() =>
        Object.values(after.state.list.sessions)
          .map(({ id, title }) => `${id} ${title}`)
          .toSorted(),
      )
      .toEqual(sessions.map(({ id, title }) => `${id} ${title}`).toSorted());
    expect(peer.requests.filter(({ text }) => text !== "")).toHaveLength(QUEUED + 2);
  },
);
