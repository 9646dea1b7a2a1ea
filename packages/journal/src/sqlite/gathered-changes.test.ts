import { expect, it } from "vitest";
import { GatheredChanges } from "./gathered-changes.ts";

/** Transactions that are only counted, each with how it is to end. */
function countedWrites(failure?: Error) {
  let transactions = 0;
  const write = async <Result>(
    work: () => Promise<Result>,
    committed: (result: Result) => void = () => {},
  ) => {
    transactions++;
    const result = await work();
    if (failure) throw failure;
    committed(result);
    return result;
  };
  return { write, transactions: () => transactions };
}

it("changes of one turn of the event loop share a transaction, in their order, and each has its own result", async () => {
  const { write, transactions } = countedWrites();
  const changes = new GatheredChanges({ write });
  const seen: string[] = [];
  const change = (name: string) =>
    changes.run(
      () => seen.push(name),
      () => seen.push(`${name} committed`),
    );
  expect(await Promise.all([change("a"), change("b")])).toEqual([1, 2]);
  expect(seen).toEqual(["a", "b", "a committed", "b committed"]);
  expect(transactions()).toBe(1);
  await change("c");
  expect(transactions()).toBe(2);
});

it("a transaction that fails fails all that it holds, and nothing after it", async () => {
  const { write } = countedWrites(new Error("full"));
  const changes = new GatheredChanges({ write });
  const told = [
    changes.run(
      () => 1,
      () => {},
    ),
    changes.run(
      () => 2,
      () => {},
    ),
  ];
  expect((await Promise.allSettled(told)).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  await changes.idle();
});
