// A chain for the tests of the pool: options name the header and the accounts. Workers import it as it stands.
import { createMemoryState } from '@cairn/block-model/testing';

export function createMemorySource({ header, accounts, failure }) {
  if (failure) throw new Error(failure);
  const state = createMemoryState(accounts);
  return {
    header: (hash) => (hash === header.hash ? header : undefined),
    stateAt: (hash) => (hash === header.hash ? state : undefined),
  };
}
