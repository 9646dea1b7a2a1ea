import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SmallWorld } from "../testing/small-world.ts";
import { type Command, madeBy } from "./command.ts";
import { shownList, shownSession } from "./shown.ts";

const HISTORIES = Number(process.env.PARLEY_HISTORIES ?? 400);

type Move = (player: Player, chance: number) => void;

/** Somebody who uses the client, and whoever disturbs it. */
class Player {
  readonly world = new SmallWorld();
  readonly sends: Extract<Command, { type: "send" }>[] = [];
  /** Sessions that were not looked at for a while, or are no more. */
  readonly forgotten = new Set<string>();
  #count = 0;

  queue(command: Command): void {
    if (command.type === "send") this.sends.push(command);
    this.world.hear({ type: "queued", key: this.next("key"), command, at: "2026-01-01T00:00:00.000Z" });
  }

  next(prefix: string): string {
    return `${prefix}_${++this.#count}`;
  }

  session(chance: number): string {
    const known = [...new Set([...this.world.server.ids(), ...Object.keys(this.world.state.open)])];
    return this.world.state.current ?? known[chance % known.length] ?? "none";
  }

  any(chance: number): string {
    const ids = this.world.server.ids();
    return ids[chance % ids.length] ?? "none";
  }
}

const MOVES: Readonly<Record<string, Move>> = {
  create: (player) => player.queue({ type: "create", sessionId: player.next("ses"), title: "New" }),
  send: (player, chance) => {
    const messageId = player.next("msg");
    player.queue({ type: "send", sessionId: player.session(chance), messageId, content: messageId });
  },
  rename: (player, chance) =>
    player.queue({ type: "change", sessionId: player.session(chance), title: player.next("title") }),
  edit: (player, chance) => {
    const sessionId = player.session(chance);
    const said = player.world.state.open[sessionId]?.record.messages.filter(({ role }) => role === "user");
    const message = said?.[chance % Math.max(1, said.length)];
    if (!message) return;
    const childId = player.next("ses");
    player.queue({ type: "edit", sessionId, messageId: message.id, content: "edited", childId });
  },
  fork: (player, chance) =>
    player.queue({ type: "fork", sessionId: player.session(chance), childId: player.next("ses") }),
  /** A message to a fork that is still to be made. */
  sendAhead: (player, chance) => {
    const made = player.world.state.queue.flatMap(({ command }) => madeBy(command) ?? []);
    const sessionId = made[chance % Math.max(1, made.length)];
    const messageId = player.next("msg");
    if (sessionId) player.queue({ type: "send", sessionId, messageId, content: messageId });
  },
  cancel: (player, chance) => {
    const sessionId = player.session(chance);
    const record = player.world.state.open[sessionId]?.record;
    const [runId] = Object.keys({ ...record?.runs, ...record?.active }).reverse();
    if (runId) player.queue({ type: "cancel", sessionId, runId });
  },
  delete: (player, chance) => {
    if (chance % 4 === 0) player.queue({ type: "delete", sessionId: player.session(chance) });
  },
  restore: (player, chance) => player.queue({ type: "restore", sessionId: player.session(chance) }),
  open: (player, chance) => player.world.open(player.any(chance)),
  close: (player, chance) => {
    const sessionId = player.session(chance);
    player.forgotten.add(sessionId);
    player.world.hear({ type: "closed", sessionId });
  },
  agentWorks: (player, chance) =>
    player.world.server.agentWorks(player.any(chance), chance % 4, chance % 3 === 0),
  othersSend: (player, chance) => {
    const { server } = player.world;
    const sessionId = player.any(chance);
    if (server.record(sessionId).status !== "active" || server.log(sessionId).length === 0) return;
    const messageId = player.next("other");
    server.execute({ type: "send", sessionId, messageId, content: "theirs" }, messageId);
  },
  serve: ({ world }, chance) => world.serve(chance % Math.max(1, world.requests.length)),
  deliver: ({ world }, chance) => world.deliver(chance % Math.max(1, world.requests.length)),
  answer: ({ world }, chance) => {
    const at = chance % Math.max(1, world.requests.length);
    world.serve(at);
    world.deliver(at);
  },
  lose: ({ world }, chance) => world.lose(chance % Math.max(1, world.requests.length)),
  feed: ({ world }, chance) => {
    for (let lines = chance % 5; lines >= 0; lines--) world.feed();
  },
  skip: ({ world }) => {
    world.feed(true);
  },
  repeat: ({ world }, chance) => world.repeat(chance),
  connect: ({ world }) => world.connect(true),
  connectAnew: ({ world }) => world.connect(false),
  disconnect: ({ world }) => world.disconnect(),
  offline: ({ world }) => world.goOffline(),
  online: ({ world }) => world.hear({ type: "online" }),
  reset: ({ world }, chance) =>
    world.hear({ type: "reset", sessionId: chance % 2 === 0 ? "*" : (world.state.current ?? "*") }),
  reload: ({ world, forgotten }, chance) => {
    for (const id of Object.keys(world.state.open)) if (id !== world.state.current) forgotten.add(id);
    world.reload((at) => (chance >> (at % 16)) % 2 === 0);
  },
};

/** What happens most of the time; without it a client would rarely be up to date, and little could go wrong. */
const USUAL = ["answer", "answer", "answer", "feed", "feed", "agentWorks", "othersSend"];
const names = fc.oneof(fc.constantFrom(...USUAL), fc.constantFrom(...Object.keys(MOVES)));

const history = fc.array(fc.tuple(names, fc.nat(65_535)), {
  minLength: 10,
  maxLength: 120,
});

/** Found by chance: a session that is read anew, page by page, was shown without what the pages to come hold. */
const FOUND: [string, number][] = (
  "answer 45116, sendAhead 0, othersSend 0, answer 0, answer 0, agentWorks 13218, create 0, answer 33512, answer 0, " +
  "create 0, answer 14578, create 0, reset 0, create 0, answer 0, answer 32938, answer 0, create 0, answer 0"
)
  .split(", ")
  .map((move) => [move.split(" ")[0] ?? "", Number(move.split(" ")[1])]);

function play(moves: readonly (readonly [string, number])[]): Player {
  const player = new Player();
  player.world.connect(false);
  player.queue({ type: "create", sessionId: player.next("ses") });
  for (const [name, chance] of moves) {
    MOVES[name]?.(player, chance);
    nothingIsDoubledOrLost(player);
  }
  player.world.hear({ type: "online" });
  player.world.connect(true);
  while (player.world.feed());
  // Whatever the feed left out shows when something follows upon it.
  const { server } = player.world;
  const goesOn = () => {
    for (const id of server.ids())
      if (server.record(id).status === "active")
        server.append(id, [{ type: "session_renamed", title: player.next("title"), by: "user" }]);
  };
  goesOn();
  player.world.settle(goesOn);
  nothingIsDoubledOrLost(player);
  return player;
}

/** At every moment: each message once, and whatever the user sent is there to be seen. */
function nothingIsDoubledOrLost({ world, sends, forgotten }: Player): void {
  const { state, requests, server } = world;
  for (const id of Object.keys(state.open)) {
    const shown = shownSession(state, id)?.messages.map((message) => message.id) ?? [];
    expect(new Set(shown).size).toBe(shown.length);
    if (forgotten.has(id) || wasDeleted(server, id)) continue;
    // Of a session that has yet to be read anew only what waits here can be seen.
    const isUnread = state.open[id]?.record.index === 0;
    const missing = sends.filter(
      (send) =>
        send.sessionId === id &&
        !shown.includes(send.messageId) &&
        !(isUnread && server.record(id).messages.some((message) => message.id === send.messageId)),
    );
    expect(missing).toEqual([]);
  }
  const sending = requests.flatMap(({ effect }) => (effect.type === "send" ? [effect.key] : []));
  expect(new Set(sending).size).toBe(sending.length);
}

function wasDeleted(server: SmallWorld["server"], id: string): boolean {
  return server.log(id).some(({ type }) => type === "session_deleted");
}

describe("a client that anything happens to", () => {
  it("converges to what the server has (invariant 19, S4.12, S4.28–29)", () => {
    fc.assert(
      fc.property(history, (moves) => {
        const { world } = play(moves);
        const { state, server } = world;
        expect(state.connection).toBe("live");
        expect(state.list.sessions).toEqual(server.rows());
        for (const [id, { record, freshness }] of Object.entries(state.open)) {
          if (server.log(id).length === 0 || server.record(id).status === "deleted") continue;
          expect([id, freshness.name]).toEqual([id, "current"]);
          expect(record).toEqual(server.record(id));
        }
        const underWay = state.queue.filter(
          ({ phase: { name }, command: { sessionId } }) =>
            name === "sending" || name === "resting" || (name === "acknowledged" && state.open[sessionId]),
        );
        expect(underWay).toEqual([]);
      }),
      { numRuns: HISTORIES },
    );
  });

  it("has each queued send happen once, or says why not (invariant 19)", () => {
    fc.assert(
      fc.property(history, (moves) => {
        const { world, sends } = play(moves);
        const { state, server } = world;
        for (const { sessionId, messageId } of sends) {
          const recorded = server
            .log(sessionId)
            .filter((event) => event.type === "user_message" && event.payload.messageId === messageId);
          const entry = state.queue.find(
            ({ command }) => command.type === "send" && command.messageId === messageId,
          );
          const isDone = !entry || entry.phase.name === "acknowledged";
          expect([messageId, recorded.length]).toEqual([messageId, isDone ? 1 : 0]);
          // What was refused, or waits, is for a session that was deleted or never came to be.
          if (!isDone) expect(server.log(sessionId).length === 0 || wasDeleted(server, sessionId)).toBe(true);
        }
      }),
      { numRuns: HISTORIES, examples: [[FOUND]] },
    );
  });

  it("shows the sessions that the server has when nothing is on its way (S4.12)", () => {
    fc.assert(
      fc.property(history, (moves) => {
        const { world } = play(moves);
        fc.pre(world.state.queue.length === 0);
        const ids = shownList(world.state).map(({ id }) => id);
        expect(ids.sort()).toEqual(Object.keys(world.server.rows()).sort());
      }),
      { numRuns: HISTORIES / 4 },
    );
  });
});
