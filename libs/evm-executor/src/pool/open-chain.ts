import type { Header, Hex, StateReader } from '@cairn/block-model';
import { executionErrors, StateUnavailableError } from '../errors.ts';
import { ReplayStarts } from '../trace/replay-starts.ts';
import type { CallChain, CallSource } from './call-source.ts';

/** Blocks per chain whose readers and caches a worker keeps. Most calls use the newest blocks, and worker heaps are small. */
const blocksKeptMax = 4;

export interface OpenBlock {
  readonly header: Header;
  readonly state: StateReader;
  /** States within the children of this block, for traces. */
  readonly starts: ReplayStarts;
}

export interface OpenChain {
  readonly chain: Pick<CallChain, 'spec'>;
  readonly source: CallSource;
  /** Ordered by last use, most recent last. */
  readonly blocks: Map<Hex, OpenBlock>;
  /** The block that was used last. */
  last: OpenBlock | undefined;
  /** Generation of the source when `blocks` were opened. */
  generation: bigint | undefined;
}

/** Opens the source of a chain. @throws EXECUTION_FAILED with the name of the chain */
export async function openChain(name: string, chain: Pick<CallChain, 'spec' | 'source'>): Promise<OpenChain> {
  const { moduleUrl, exportName, options } = chain.source;
  try {
    const module: Record<string, unknown> = await import(moduleUrl);
    const create = module[exportName];
    if (typeof create !== 'function') throw new Error(`${moduleUrl} has no function ${exportName}`);
    return { chain, source: await create(options), blocks: new Map(), last: undefined, generation: undefined };
  } catch (error) {
    throw executionErrors.failed(
      `chain ${name} does not open: ${error instanceof Error ? error.message : String(error)}`,
      error,
    );
  }
}

/** Returns header and state of a block that is open; `undefined` if it has to be opened. */
export function openBlockOf(chain: OpenChain, hash: Hex): OpenBlock | undefined {
  const { blocks } = chain;
  const { generation } = chain.source;
  // After a reorg, open readers would read data of another branch.
  if (generation !== chain.generation) blocks.clear();
  chain.generation = generation;
  const known = blocks.get(hash);
  if (known !== undefined && known !== chain.last) {
    blocks.delete(hash);
    blocks.set(hash, known);
    chain.last = known;
  }
  return known;
}

/** Returns header and state of a block. @throws STATE_UNAVAILABLE */
export async function blockOf(name: string, chain: OpenChain, hash: Hex): Promise<OpenBlock> {
  const { source, blocks } = chain;
  const known = openBlockOf(chain, hash);
  if (known !== undefined) return known;
  const found = read(source, hash) ?? (await readInNextTurn(source, hash));
  if (found === undefined) throw new StateUnavailableError(name, hash);
  blocks.set(hash, found);
  chain.last = found;
  for (const oldest of blocks.keys()) {
    if (blocks.size <= blocksKeptMax) break;
    blocks.delete(oldest);
  }
  return found;
}

function read(source: CallSource, hash: Hex): OpenBlock | undefined {
  const header = source.header(hash);
  const state = source.stateAt(hash);
  return header && state && { header, state, starts: new ReplayStarts() };
}

/** Retries in the next turn of the event loop: a store may keep one read snapshot per turn, without recent writes. */
async function readInNextTurn(source: CallSource, hash: Hex): Promise<OpenBlock | undefined> {
  await new Promise((resolve) => setImmediate(resolve));
  return read(source, hash);
}
