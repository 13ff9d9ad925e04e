import type { Header, Hex, StateReader } from '@cairn/block-model';
import type { CallResult } from '../call-result.ts';
import { createEthereumjsEngine } from '../engine/ethereumjs-engine.ts';
import { executionErrors, StateUnavailableError } from '../errors.ts';
import { executeCall } from '../execute-call.ts';
import type { CallChain, CallJob, CallSource } from './call-pool-types.ts';
import type { WorkerData } from './worker-protocol.ts';

/** Blocks of a chain whose readers, and what they read, a worker keeps: calls crowd on the newest, and heaps are small. */
const blocksKeptMax = 4;

interface OpenBlock {
  readonly header: Header;
  readonly state: StateReader;
}

interface OpenChain {
  readonly chain: CallChain;
  readonly source: CallSource;
  /** In order of use, the latest last. */
  readonly blocks: Map<Hex, OpenBlock>;
}

/** What happens inside of a worker, apart from its messages. */
export interface CallServer {
  serve(job: CallJob): Promise<CallResult>;
  close(): Promise<void>;
}

/** Opens every chain. @throws EXECUTION_FAILED naming the chain that does not open */
export async function openCallServer({ chains, gasCapMultiplier }: WorkerData): Promise<CallServer> {
  const engine = createEthereumjsEngine();
  const open = new Map<string, OpenChain>();
  for (const [name, chain] of Object.entries(chains)) open.set(name, await openChain(name, chain));
  return {
    async serve({ chain: name, blockHash, call, stateOverrides, blockOverrides }) {
      const chain = open.get(name);
      if (chain === undefined) throw executionErrors.failed(`there is no chain ${name}`);
      const { header, state } = await blockOf(name, chain, blockHash);
      return executeCall({
        spec: chain.chain.spec,
        header,
        state,
        blockHashes: ancestorHashes(chain.source, header),
        call,
        engine,
        limits: { gasCapMultiplier },
        ...(stateOverrides && { stateOverrides }),
        ...(blockOverrides && { blockOverrides }),
      });
    },
    async close() {
      for (const { source } of open.values()) await source.close?.();
    },
  };
}

async function openChain(name: string, chain: CallChain): Promise<OpenChain> {
  const { moduleUrl, exportName, options } = chain.source;
  try {
    const module: Record<string, unknown> = await import(moduleUrl);
    const create = module[exportName];
    if (typeof create !== 'function') throw new Error(`${moduleUrl} has no function ${exportName}`);
    return { chain, source: await create(options), blocks: new Map() };
  } catch (error) {
    throw executionErrors.failed(
      `chain ${name} does not open: ${error instanceof Error ? error.message : String(error)}`,
      error,
    );
  }
}

async function blockOf(name: string, { source, blocks }: OpenChain, hash: Hex): Promise<OpenBlock> {
  const known = blocks.get(hash);
  if (known !== undefined) {
    blocks.delete(hash);
    blocks.set(hash, known);
    return known;
  }
  const found = read(source, hash) ?? (await readInNextTurn(source, hash));
  if (found === undefined) throw new StateUnavailableError(name, hash);
  blocks.set(hash, found);
  for (const oldest of blocks.keys()) {
    if (blocks.size <= blocksKeptMax) break;
    blocks.delete(oldest);
  }
  return found;
}

function read(source: CallSource, hash: Hex): OpenBlock | undefined {
  const header = source.header(hash);
  const state = source.stateAt(hash);
  return header && state && { header, state };
}

/** A store may show one turn of the event loop the same snapshot all along: what was written since is in the next. */
async function readInNextTurn(source: CallSource, hash: Hex): Promise<OpenBlock | undefined> {
  await new Promise((resolve) => setImmediate(resolve));
  return read(source, hash);
}

/**
 * Hashes of the ancestors of a block, by number: from the index of the canonical chain where the block is on it, else
 * along the parents.
 */
export function ancestorHashes(
  source: Pick<CallSource, 'header' | 'hashByNumber' | 'isCanonical'>,
  header: Header,
): (number: bigint) => Hex | undefined {
  const walked = new Map<bigint, Hex>([[header.number - 1n, header.parentHash]]);
  let lowest = header.number - 1n;
  let isCanonical: boolean | undefined;
  return (number) => {
    if (number >= header.number || number < 0n) return undefined;
    isCanonical ??= source.isCanonical?.(header.hash) ?? false;
    if (isCanonical && source.hashByNumber) return source.hashByNumber(number);
    while (lowest > number) {
      const hash = walked.get(lowest);
      const parent = hash && source.header(hash)?.parentHash;
      if (parent === undefined) return undefined;
      lowest -= 1n;
      walked.set(lowest, parent);
    }
    return walked.get(number);
  };
}
