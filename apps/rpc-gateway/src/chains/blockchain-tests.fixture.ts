import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BlockRunner, bytesFromHex, type Hex } from '@cairn/block-model';
import { conformanceDirectory } from '@cairn/block-model/testing';
import { type ChainStore, importChain } from '@cairn/chain-store';
import { isCairnError } from '@cairn/errors';

interface TestAccount {
  readonly balance: Hex;
  readonly nonce: Hex;
  readonly code: Hex;
  readonly storage: Readonly<Record<Hex, Hex>>;
}

interface TestBlock {
  readonly rlp: Hex;
  readonly blockHeader?: Readonly<Record<string, Hex>>;
  readonly [field: string]: unknown;
}

/** One case of the blockchain tests of ethereum/tests. */
export interface BlockchainTest {
  readonly network: string;
  readonly genesisBlockHeader: Readonly<Record<string, Hex>>;
  readonly pre: Readonly<Record<Hex, TestAccount>>;
  readonly blocks: readonly TestBlock[];
  readonly lastblockhash: Hex;
  readonly postState?: Readonly<Record<Hex, TestAccount>>;
}

const directory = join(conformanceDirectory, 'blockchain-tests');

/** Folders with case files, relative to the test set. */
export function blockchainTestFolders(): string[] {
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.json'));
  return [...new Set(files.map((file) => join(file, '..')))].sort();
}

/** The cases of a folder by name. */
export function blockchainTests(folder: string): [string, BlockchainTest][] {
  return readdirSync(join(directory, folder))
    .filter((file) => file.endsWith('.json'))
    .sort()
    .flatMap((file) => {
      const cases: Record<string, BlockchainTest> = JSON.parse(readFileSync(join(directory, folder, file), 'utf8'));
      return Object.entries(cases);
    });
}

/** Forks in order, each with the fields that activate it at `at` in the configuration of a chain. */
const forks: readonly (readonly [name: string, config: (at: number) => Readonly<Record<string, unknown>>])[] = [
  ['Frontier', () => ({})],
  ['Homestead', (at) => ({ homesteadBlock: at })],
  ['Dao', (at) => ({ daoForkBlock: at, daoForkSupport: true })],
  ['EIP150', (at) => ({ eip150Block: at })],
  ['EIP158', (at) => ({ eip155Block: at, eip158Block: at })],
  ['Byzantium', (at) => ({ byzantiumBlock: at })],
  ['Constantinople', (at) => ({ constantinopleBlock: at })],
  ['ConstantinopleFix', (at) => ({ constantinopleBlock: at, petersburgBlock: at })],
  ['Istanbul', (at) => ({ istanbulBlock: at })],
  ['MuirGlacier', (at) => ({ muirGlacierBlock: at })],
  ['Berlin', (at) => ({ berlinBlock: at })],
  ['London', (at) => ({ londonBlock: at })],
  ['ArrowGlacier', (at) => ({ arrowGlacierBlock: at, grayGlacierBlock: at })],
  ['Paris', () => ({ terminalTotalDifficulty: 0 })],
  ['Shanghai', (at) => ({ shanghaiTime: at })],
  ['Cancun', (at) => ({ cancunTime: at })],
];

function configUpTo(last: string): Record<string, unknown> {
  const index = forks.findIndex(([name]) => name === last);
  if (index === -1) throw new Error(`The fixture has no fork ${last}. Add it to the list.`);
  const names = forks.slice(0, index + 1).filter(([name]) => name !== 'Dao');
  return Object.assign({}, ...names.map(([, config]) => config(0)));
}

/** The configuration of a network such as `Cancun` or `FrontierToHomesteadAt5`. */
function configOf(network: string): Record<string, unknown> {
  const [, from = network, to, kind, place = ''] = /^(\w+?)To(\w+)At(Time|Diff)?(\w+)$/.exec(network) ?? [];
  if (to === undefined) return configUpTo(from);
  if (kind === 'Diff') return { ...configUpTo(from), terminalTotalDifficulty: Number.parseInt(place, 16) };
  const added = forks.find(([name]) => name === to)?.[1];
  if (added === undefined) throw new Error(`The fixture has no fork ${to}. Add it to the list.`);
  return { ...configUpTo(from), ...added(kind === 'Time' ? Number(place.replace('k', '000')) : Number(place)) };
}

const headerFields = {
  coinbase: 'coinbase',
  difficulty: 'difficulty',
  extraData: 'extraData',
  gasLimit: 'gasLimit',
  mixHash: 'mixHash',
  nonce: 'nonce',
  timestamp: 'timestamp',
  parentHash: 'parentHash',
  baseFeePerGas: 'baseFeePerGas',
  excessBlobGas: 'excessBlobGas',
  blobGasUsed: 'blobGasUsed',
} as const;

/** The genesis of a case in geth's file format. */
function genesisOf({ network, genesisBlockHeader, pre }: BlockchainTest): unknown {
  const header = Object.entries(headerFields).flatMap(([name, field]) => {
    const value = genesisBlockHeader[field];
    return value === undefined ? [] : [[name, value]];
  });
  return { config: { chainId: 1, ...configOf(network) }, ...Object.fromEntries(header), alloc: pre };
}

/** Wrongly accepted and wrongly refused blocks. */
export interface BlockchainTestFaults {
  readonly faults: readonly string[];
  /** Reasons of refusals, by block index. */
  readonly refusals: ReadonlyMap<number, string>;
}

/** Imports the blocks of a case into an empty store, one file per block. */
export async function runBlockchainTest(
  test: BlockchainTest,
  {
    store,
    directory,
    runner,
  }: { readonly store: ChainStore; readonly directory: string; readonly runner: BlockRunner },
): Promise<BlockchainTestFaults> {
  const genesis = join(directory, 'genesis.json');
  writeFileSync(genesis, JSON.stringify(genesisOf(test)));
  const importFiles = (files: readonly string[]) => importChain({ store, name: 'test', genesis, files, runner });
  await importFiles([]);
  const faults: string[] = [];
  const refusals = new Map<number, string>();
  if (store.genesisHash !== test.genesisBlockHeader.hash) faults.push(`the genesis hashes to ${store.genesisHash}`);
  for (const [index, block] of test.blocks.entries()) {
    const expected = expectedException(block);
    const file = join(directory, `block-${index}.rlp`);
    writeFileSync(file, bytesFromHex(block.rlp));
    try {
      await importFiles([file]);
      if (expected !== undefined) faults.push(`block ${index} is accepted, expected ${expected}`);
    } catch (error) {
      if (!isCairnError(error)) throw error;
      refusals.set(index, error.message);
      if (expected === undefined) faults.push(`block ${index} is refused: ${error.message}`);
    }
  }
  return { faults, refusals };
}

function expectedException(block: TestBlock): string | undefined {
  const key = Object.keys(block).find((name) => name.startsWith('expectException'));
  if (key !== undefined) return String(block[key]);
  return block.blockHeader === undefined ? 'a refusal' : undefined;
}
