/** Whether a writer is fenced off: its lease was released or taken over, so the stream has another epoch. */
export function isStaleLease(epoch: number | undefined, stream: { readonly epoch: number }): epoch is number {
  return epoch !== undefined && epoch !== stream.epoch;
}
