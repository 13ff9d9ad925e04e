/** Resolves in a later turn of the event loop: input, output and timers that are due run before. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
