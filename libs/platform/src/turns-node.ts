/** Resolves in a later turn of the event loop, after pending I/O and due timers. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
