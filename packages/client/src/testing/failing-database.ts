import { onTestFinished } from "vitest";

type Puts = { put: (...given: unknown[]) => unknown };

/** Has the browser's database refuse to take what `isRefused` says, with an error of this name, until the test ends. */
export function failingPuts(name: string, isRefused: (store: string, value: unknown) => boolean): void {
  const { prototype } = (globalThis as unknown as { IDBObjectStore: { prototype: Puts } }).IDBObjectStore;
  const { put } = prototype;
  prototype.put = function (this: { readonly name: string }, ...given) {
    if (isRefused(this.name, given[0])) throw new DOMException("It does not take this", name);
    return put.apply(this, given);
  };
  onTestFinished(() => {
    prototype.put = put;
  });
}

type Transactions = { commit: () => void; abort: () => void };

/** Has the browser's database abort what is to be committed, as for a page that goes away, until the returned function is called. */
export function abortedTransactions(): () => void {
  const { prototype } = (globalThis as unknown as { IDBTransaction: { prototype: Transactions } })
    .IDBTransaction;
  const { commit } = prototype;
  prototype.commit = function () {
    this.abort();
  };
  const restore = () => {
    prototype.commit = commit;
  };
  onTestFinished(restore);
  return restore;
}
