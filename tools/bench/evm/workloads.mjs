import { createMemoryState } from '@cairn/block-model/testing';
import { compileWorkloads, makePlace } from './place.mjs';

/** Rounds of each loop; the fastest takes some milliseconds. */
export const workloads = {
  arithmetic: 20_000,
  memorySort: 300,
  hashes: 20_000,
  quotes: 20_000,
  rays: 2_000,
  paths: 200,
  products: 20_000,
  storageLoop: 10_000,
  balancesOf: 2_000,
  transfers: 1_000,
  precompiles: 300,
  proofs: 10,
  blake2: 10,
};

export const address = `0x${'c0'.repeat(20)}`;
export const compiled = compileWorkloads();
export const place = {
  ...makePlace(),
  state: createMemoryState({ [address]: { code: compiled.code, balance: 0n } }),
};

/** Returns a call of a loop with a number of rounds. */
export function callOf(name, rounds = workloads[name]) {
  const data = `0x${compiled.selectors[`${name}(uint256)`]}${rounds.toString(16).padStart(64, '0')}`;
  return { from: `0x${'aa'.repeat(20)}`, to: address, data };
}
