// Chain source for tests of the pool, with one header and its accounts. JavaScript, since workers import it directly.
import { appendFileSync, writeFileSync } from 'node:fs';
import { createMemoryState } from '@cairn/block-model/testing';

/** With `closings`, each closed source appends a line to that file, and all threads but the first one open slowly. */
export async function createMemorySource({ header, accounts, failure, closings }) {
  if (failure) throw new Error(failure);
  if (closings && !isFirst(closings)) await new Promise((resolve) => setTimeout(resolve, 300));
  const state = createMemoryState(accounts);
  return {
    header: (hash) => (hash === header.hash ? header : undefined),
    stateAt: (hash) => (hash === header.hash ? state : undefined),
    close: () => closings && appendFileSync(closings, 'closed\n'),
  };
}

function isFirst(file) {
  try {
    writeFileSync(file, '', { flag: 'wx' });
    return true;
  } catch {
    return false;
  }
}
