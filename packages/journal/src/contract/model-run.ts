import { expect } from "vitest";
import { IndexConflictError } from "../errors.ts";
import type { Journal, Merge } from "../journal.ts";
import { readAll, upTo } from "./journal-fixture.ts";
import { ModelFollower } from "./model-follower.ts";

const concatenate: Merge = (previous, next) => String(previous) + String(next);

interface Acknowledged {
  readonly index: number;
  /** The last token of the append, which its index must lead to. */
  readonly token: string;
}

/** One random history on a stream of its own, beside the array that it must equal. */
export class ModelRun {
  readonly #journal: Journal;
  readonly #stream: string;
  /** Every token that was accepted, in the order of the calls: the plain array. */
  readonly #tokens: string[] = [];
  readonly #acknowledged: Acknowledged[] = [];
  readonly #followers: ModelFollower[] = [];
  #pending: Promise<unknown>[] = [];
  #next = 0;

  constructor(journal: Journal, stream: string) {
    this.#journal = journal;
    this.#stream = stream;
  }

  append({ events, merge, urgent }: { events: number; merge: boolean; urgent: boolean }): void {
    const tokens = upTo(events).map(() => this.#token());
    const options = merge ? { urgent, merge: concatenate } : { urgent };
    this.#track(this.#journal.append(this.#stream, tokens, options), tokens);
  }

  async appendExpecting(right: boolean): Promise<void> {
    await this.settle();
    const head = await this.#head();
    const token = this.#token();
    const append = this.#journal.append(this.#stream, [token], { expected: right ? head : head + 3 });
    if (right) this.#track(append, [token]);
    else await expect(append).rejects.toBeInstanceOf(IndexConflictError);
  }

  appendToTwo(): void {
    const token = this.#token();
    const both = this.#journal.appendAll([
      { stream: this.#stream, events: [token] },
      { stream: `${this.#stream}-twin`, events: [token] },
    ]);
    this.#track(
      both.then(([index = 0]) => index),
      [token],
    );
  }

  async settle(): Promise<void> {
    await Promise.all(this.#pending);
    this.#pending = [];
  }

  async read(share: number, limit: number): Promise<void> {
    const head = await this.#head();
    if (head === 0) return;
    const after = Math.floor(share * head);
    const page = await this.#journal.read(this.#stream, after, limit);
    expect(page.map(({ index }) => index)).toEqual(upTo(page.length).map((n) => after + n));
    expect(page.length).toBeGreaterThanOrEqual(Math.min(limit, head - after, 1));
  }

  async follow(share: number): Promise<void> {
    const head = await this.#head();
    if (head > 0)
      this.#followers.push(new ModelFollower(this.#journal, this.#stream, Math.floor(share * head)));
  }

  async cut(which: number): Promise<void> {
    await this.#followers[which]?.cut();
  }

  async resume(which: number): Promise<void> {
    await this.#followers[which]?.resume();
  }

  async archive(): Promise<void> {
    if ((await this.#head()) > 0) await this.#journal.archive(this.#stream);
  }

  /** The log is the array, every acknowledged index leads to its event, and every follower saw just the log. */
  async check(): Promise<void> {
    await this.settle();
    const head = await this.#head();
    const log = head === 0 ? [] : await readAll(this.#journal, this.#stream, 7);
    expect(log.map(({ index }) => index)).toEqual(upTo(head));
    expect(log.map(({ payload }) => payload).join("")).toBe(this.#tokens.join(""));
    for (const { index, token } of this.#acknowledged) expect(log[index - 1]?.payload).toContain(token);
    for (const follower of this.#followers) {
      await follower.finish(head);
      expect(follower.seen.map(({ index, json }) => [index, json])).toEqual(
        log.slice(follower.start).map(({ index, json }) => [index, json]),
      );
    }
  }

  #token(): string {
    return `<${++this.#next}>`;
  }

  #track(append: Promise<number>, tokens: readonly string[]): void {
    this.#tokens.push(...tokens);
    const token = tokens.at(-1) ?? "";
    this.#pending.push(append.then((index) => this.#acknowledged.push({ index, token })));
  }

  async #head(): Promise<number> {
    return this.#acknowledged.length === 0 ? 0 : this.#journal.head(this.#stream);
  }
}
