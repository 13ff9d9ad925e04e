import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const directory = new URL('../../../shared/conformance/execution-apis/', import.meta.url);

/**
 * The 54-block chain of the execution-apis suite, which passes every fork: paths of its files, and the accounts of its
 * genesis.
 * @returns undefined when the recorded data is missing
 */
export function conformanceChain() {
  const genesis = fileURLToPath(new URL('genesis.json', directory));
  const blocks = fileURLToPath(new URL('chain.rlp', directory));
  if (!existsSync(blocks)) return undefined;
  const { alloc } = JSON.parse(readFileSync(genesis, 'utf8'));
  return { genesis, blocks, accounts: Object.keys(alloc).map((key) => `0x${key.replace(/^0x/, '')}`) };
}
