let batches = 0;
let current: number | undefined;

/**
 * Runs work for requests that have all been received. A state that was read since the begin of the batch is then as new for each of them
 * as if it was read again.
 */
export function runBatch(work: () => void): void {
  const outer = current;
  current = ++batches;
  try {
    work();
  } finally {
    current = outer;
  }
}

/** Number of the batch that runs; `undefined` outside of batches, also in promises that a batch has created. */
export function runningBatch(): number | undefined {
  return current;
}
