import { createBlockRunner } from '@cairn/evm-ethereumjs';
import * as chainStore from './import-chain.ts';

/** Block runner of the tests. */
export const referenceRunner = createBlockRunner();

/** Imports with the reference runner. */
export function importChain(options: Omit<chainStore.ImportOptions, 'runner'>): Promise<number> {
  return chainStore.importChain({ ...options, runner: referenceRunner });
}
