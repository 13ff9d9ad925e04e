import { type Block, decodeBlock, type Header, type Hex, type StateReader } from '@cairn/block-model';
import { isCairnError } from '@cairn/errors';
import { systemAddress } from '../block/system-calls.ts';
import { createAccessList } from '../create-access-list.ts';
import type { CallEngine, Deadline } from '../engine/call-engine.ts';
import { createEngine } from '../engine/create-engine.ts';
import { executionErrors, StateUnavailableError, TraceRefusedError } from '../errors.ts';
import { estimateGas } from '../estimate-gas.ts';
import { executeCall } from '../execute-call.ts';
import { simulate } from '../simulate/simulate.ts';
import { traceBlock } from '../trace/trace-block.ts';
import { traceCall } from '../trace/trace-call.ts';
import { ancestorHashes } from './ancestor-hashes.ts';
import type { CallChain, CallSource } from './call-source.ts';
import type { ExecutionJob, ResultOf, SimulateJob, TraceBlockJob, TraceCallJob } from './execution-job.ts';
import { isRead, serveRead } from './serve-reads.ts';
import { serveWitness } from './serve-witness.ts';
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
      if (job.contracts !== undefined && (job.kind === 'traceBlock' || job.kind === 'executionWitness'))
        throw executionErrors.failed('a job on a whole block cannot be limited to contracts');
      if (isRead(job)) return serveRead(job, chain.source);
      if (job.kind === 'traceBlock') return serveTrace(job, chain, engine, deadline);
      if (job.kind === 'executionWitness') return serveWitness(job, chain.chain, chain.source, engine, deadline);
      if (job.kind === 'traceCall' && job.index !== undefined)
        return serveTraceWithin({ ...job, index: job.index }, chain, engine, { gasCapMultiplier, deadline });
      const { header, state } = await blockOf(job.chain, chain, job.blockHash);
      const place = {
        spec: chain.chain.spec,
        header,
        state,
        blockHashes: ancestorHashes(chain.source, header),
        engine,
      };
      if (job.kind === 'simulate') return serveSimulation(job, chain, { ...place, deadline });
      const { spec, blockHashes } = place;
      const { call, stateOverrides, blockOverrides, contracts } = job;
      const limits = { gasCapMultiplier, gasBudget, deadline };
      // Spelled out: an object that is put together of others takes longer than a small call.
      const options = {
        spec,
        header,
        state,
        blockHashes,
        engine,
        call,
        limits,
        stateOverrides,
        blockOverrides,
        contracts,
      };
      switch (job.kind) {
        case 'estimateGas':
          return estimateGas(options);
        case 'createAccessList':
          return createAccessList({ ...options, tip: job.tip });
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
  { chain, blockHash, simulation, contracts }: SimulateJob,
  { source }: OpenChain,
  place: Omit<Parameters<typeof simulate>[0], 'stateRoots' | 'simulation'>,
): Promise<ResultOf<SimulateJob>> {
  const stateRoots = source.stateRoots?.(blockHash);
  if (stateRoots === undefined) throw new StateUnavailableError(chain, blockHash);
  const { engine, gasOfProtocol } = countingProtocolGas(place.engine);
  const blocks = await simulate({ ...place, engine, stateRoots, simulation, contracts });
  const gasUsed = blocks.reduce((sum, block) => sum + BigInt(String(block.gasUsed)), gasOfProtocol());
  return { kind: 'json', json: JSON.stringify(blocks), gasUsed };
}

/** Counts the gas of calls that the protocol makes: no block names it, and overrides can put any code there. */
function countingProtocolGas(engine: CallEngine): { readonly engine: CallEngine; gasOfProtocol(): bigint } {
  let gas = 0n;
  return {
    engine: {
      name: engine.name,
      async run(message) {
        const outcome = await engine.run(message);
        if (message.sender === systemAddress) gas += outcome.gasUsed;
        return outcome;
      },
    },
    gasOfProtocol: () => gas,
  };
}

/** The transactions of a block run on the state after its parent. */
async function serveTrace(
  { chain: name, blockHash, index, raw, options }: TraceBlockJob,
  open: OpenChain,
  engine: CallEngine,
  deadline?: Deadline,
): Promise<ResultOf<TraceBlockJob>> {
  const { chain, source } = open;
  const block = raw === undefined ? source.block?.(blockHash) : decodedBlock(raw);
  if (block === undefined) throw new StateUnavailableError(name, blockHash);
  const { state } = await blockOf(name, open, block.header.parentHash);
  const traced = await traceBlock({
    spec: chain.spec,
    block,
    state,
    blockHashes: ancestorHashes(source, block.header),
    engine,
    options,
    deadline,
    ...(index !== undefined && { index }),
    // The block of a request may be anything.
    ...(raw !== undefined && { checks: { followsNonce: true } }),
  });
  return { kind: 'json', ...traced };
}

/** @throws TRACE_REFUSED in geth's words */
function decodedBlock(raw: Uint8Array): Block {
  try {
    return decodeBlock(raw);
  } catch (error) {
    if (!isCairnError(error)) throw error;
    throw new TraceRefusedError(
      `could not decode block: ${error.message}`,
      'Give the block as debug_getRawBlock does.',
    );
  }
}

/** A call in the middle of a block. */
async function serveTraceWithin(
  { chain: name, blockHash, index, options, ...message }: TraceCallJob & { index: number },
  open: OpenChain,
  engine: CallEngine,
  {
    gasCapMultiplier,
    deadline,
  }: { readonly gasCapMultiplier?: number | undefined; readonly deadline?: Deadline | undefined },
): Promise<ResultOf<TraceCallJob>> {
  const { chain, source } = open;
  const block = source.block?.(blockHash);
  if (block === undefined) throw new StateUnavailableError(name, blockHash);
  const { header } = block;
  const { state } = await blockOf(name, open, header.parentHash);
  const blockHashes = ancestorHashes(source, header);
  const limits = { deadline, ...(gasCapMultiplier !== undefined && { gasCapMultiplier }) };
  const place = { spec: chain.spec, header, state, blockHashes, engine, limits, within: { block, index } };
  return { kind: 'json', ...(await traceCall({ ...place, ...message }, options)) };
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
