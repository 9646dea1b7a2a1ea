/** "The stream with this id now ends at this index"; head 0 says that it was deleted. */
export interface Hint {
  readonly id: number;
  readonly head: number;
}

/** Tells other nodes that there is something to read. A lost hint costs a poll, never an event. */
export interface HintBus {
  publish(hint: Hint): void;
  subscribe(listener: (hint: Hint) => void): void;
  close(): Promise<void>;
}
