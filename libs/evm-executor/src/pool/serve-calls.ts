import type { Header, Hex, StateReader } from '@cairn/block-model';
import { createAccessList } from '../create-access-list.ts';
import type { CallEngine, Deadline } from '../engine/call-engine.ts';
import { createEngine } from '../engine/create-engine.ts';
import { executionErrors, StateUnavailableError } from '../errors.ts';
import { estimateGas } from '../estimate-gas.ts';
import { executeCall } from '../execute-call.ts';
import { simulate } from '../simulate/simulate.ts';
import { traceBlock } from '../trace/trace-block.ts';
import { traceCall } from '../trace/trace-call.ts';
import type { CallChain, CallSource, ExecutionJob, ResultOf, SimulateJob, TraceBlockJob } from './call-pool-types.ts';
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
  /** Of the chain when they were opened. */
  generation: bigint | undefined;
}

/** What happens inside of a worker, apart from its messages. */
export interface CallServer {
  /** @throws what the job throws, and EXECUTION_TIMEOUT where its engine looks at the clock */
  serve(job: ExecutionJob, deadline?: Deadline): Promise<ResultOf<ExecutionJob>>;
  close(): Promise<void>;
}

/**
 * Opens every chain.
 * @param gasBudget of calls: see {@link ExecuteCallOptions.limits}
 * @throws EXECUTION_FAILED naming the chain that does not open
 */
export async function openCallServer(
  { chains, gasCapMultiplier, engine: engineName }: WorkerData,
  gasBudget?: number,
): Promise<CallServer> {
  const engine = createEngine(engineName);
  const open = new Map<string, OpenChain>();
  for (const [name, chain] of Object.entries(chains)) open.set(name, await openChain(name, chain));
  return {
    async serve(job, deadline) {
      const chain = open.get(job.chain);
      if (chain === undefined) throw executionErrors.failed(`there is no chain ${job.chain}`);
      if (job.kind === 'traceBlock') return serveTrace(job, chain, engine);
      const { header, state } = await blockOf(job.chain, chain, job.blockHash);
      const place = {
        spec: chain.chain.spec,
        header,
        state,
        blockHashes: ancestorHashes(chain.source, header),
        engine,
      };
      if (job.kind === 'simulate') return serveSimulation(job, chain, place);
      const { spec, blockHashes } = place;
      const { call, stateOverrides, blockOverrides } = job;
      const limits = { gasCapMultiplier, gasBudget, deadline };
      // Spelled out: an object that is put together of others takes longer than a small call.
      const options = { spec, header, state, blockHashes, engine, call, limits, stateOverrides, blockOverrides };
      switch (job.kind) {
        case 'estimateGas':
          return estimateGas(options);
        case 'createAccessList':
          return createAccessList(options);
        case 'traceCall':
          return { kind: 'json', ...(await traceCall(options, job.options)) };
        default:
          return executeCall(options);
      }
    },
    async close() {
      for (const { source } of open.values()) await source.close?.();
    },
  };
}

async function serveSimulation(
  { chain, blockHash, simulation }: SimulateJob,
  { source }: OpenChain,
  place: Omit<Parameters<typeof simulate>[0], 'stateRoots' | 'simulation'>,
): Promise<ResultOf<SimulateJob>> {
  const stateRoots = source.stateRoots?.(blockHash);
  if (stateRoots === undefined) throw new StateUnavailableError(chain, blockHash);
  const blocks = await simulate({ ...place, stateRoots, simulation });
  const gasUsed = blocks.reduce((sum, block) => sum + BigInt(String(block.gasUsed)), 0n);
  return { kind: 'json', json: JSON.stringify(blocks), gasUsed };
}

/** The transactions of a block run on the state after its parent. */
async function serveTrace(
  { chain: name, blockHash, index, options }: TraceBlockJob,
  open: OpenChain,
  engine: CallEngine,
): Promise<ResultOf<TraceBlockJob>> {
  const { chain, source } = open;
  const block = source.block?.(blockHash);
  if (block === undefined) throw new StateUnavailableError(name, blockHash);
  const { state } = await blockOf(name, open, block.header.parentHash);
  const json = await traceBlock({
    spec: chain.spec,
    block,
    state,
    blockHashes: ancestorHashes(source, block.header),
    engine,
    options,
    ...(index !== undefined && { index }),
  });
  return { kind: 'json', json, gasUsed: block.header.gasUsed };
}

async function openChain(name: string, chain: CallChain): Promise<OpenChain> {
  const { moduleUrl, exportName, options } = chain.source;
  try {
    const module: Record<string, unknown> = await import(moduleUrl);
    const create = module[exportName];
    if (typeof create !== 'function') throw new Error(`${moduleUrl} has no function ${exportName}`);
    return { chain, source: await create(options), blocks: new Map(), generation: undefined };
  } catch (error) {
    throw executionErrors.failed(
      `chain ${name} does not open: ${error instanceof Error ? error.message : String(error)}`,
      error,
    );
  }
}

async function blockOf(name: string, chain: OpenChain, hash: Hex): Promise<OpenBlock> {
  const { source, blocks } = chain;
  const { generation } = source;
  // The chain has changed to another branch: what was opened reads places that hold something else now.
  if (generation !== chain.generation) blocks.clear();
  chain.generation = generation;
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
