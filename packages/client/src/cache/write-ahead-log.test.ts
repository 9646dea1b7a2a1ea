import { describe, expect, it } from "vitest";
import { SmallStorage } from "../testing/small-storage.ts";
import type { CacheChange } from "./cache-port.ts";
import { KEPT_COMMAND } from "./contract/cache-contract.ts";
import { WriteAheadLog } from "./write-ahead-log.ts";

const PUT: CacheChange = { kind: "commands", id: "k", value: KEPT_COMMAND };
const DROP: CacheChange = { kind: "commands", id: "k", value: undefined };
const DRAFT: CacheChange = { kind: "bags", id: "s", value: { draft: "Hello" } };

describe("WriteAheadLog", () => {
  it("gives the last change of each thing to whoever opens it next, until it is removed", () => {
    const storage = new SmallStorage();
    const log = new WriteAheadLog(storage, "parley");
    log.add([PUT, DRAFT]);
    log.add([DROP]);
    const next = new WriteAheadLog(storage, "parley");
    expect(next.changes).toEqual([DROP, DRAFT]);
    next.remove([DROP, DRAFT]);
    expect([log.changes, storage.length]).toEqual([[], 0]);
  });

  it("keeps a change that is newer than the one to be removed", () => {
    const log = new WriteAheadLog(new SmallStorage(), "parley");
    log.add([PUT]);
    log.add([DROP]);
    log.remove([PUT]);
    expect(log.changes).toEqual([DROP]);
  });

  it("knows nothing of other names, and clears only its own", () => {
    const storage = new SmallStorage();
    const [one, other] = ["parley", "parley/user/workspace"].map((name) => new WriteAheadLog(storage, name));
    storage.setItem("parley-who", "{}");
    one?.add([PUT]);
    other?.add([DRAFT]);
    one?.clear();
    expect([one?.changes, other?.changes, storage.getItem("parley-who")]).toEqual([[], [DRAFT], "{}"]);
  });

  it("holds no older change in place of one that the storage has no room for", () => {
    const log = new WriteAheadLog(new SmallStorage(200), "parley");
    log.add([DRAFT]);
    log.add([{ kind: "bags", id: "s", value: { draft: "Hello".repeat(100) } }]);
    expect(log.changes).toEqual([]);
  });
});
