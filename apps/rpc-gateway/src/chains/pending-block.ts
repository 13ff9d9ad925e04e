import { type Header, type Json, nextBaseFee } from '@cairn/block-model';
import { forkRules, nextExcessBlobGas, type Simulation } from '@cairn/evm-executor';
import type { RequestContext } from '../request-context.ts';
import type { Chain } from './chain.ts';

// The pending block is the empty block that would follow the head now: this gateway has no transactions that wait. Its fields
// are those that geth's miner gives it (v1.17.5, miner/worker.go).

/** Fields of the pending block that fees and environments depend on. */
export type PendingFields = Pick<
  Header,
  | 'number'
  | 'timestamp'
  | 'gasLimit'
  | 'gasUsed'
  | 'parentHash'
  | 'miner'
  | 'mixHash'
  | 'baseFeePerGas'
  | 'blobGasUsed'
  | 'excessBlobGas'
>;

/** Gas that blocks aim for, as in geth (miner.DefaultConfig.GasCeil), and how far a block may move from its parent. */
const gasCeiling = 60_000_000n;
const gasLimitBoundDivisor = 1024n;
/** Wei per gas in the first block with a base fee (EIP-1559), and how much more gas its limit is for. */
const initialBaseFee = 1_000_000_000n;
const elasticity = 2n;
const zeroAddress = `0x${'00'.repeat(20)}` as const;
const zeroHash = `0x${'00'.repeat(32)}` as const;

type FeeHeader = Pick<Header, 'number' | 'timestamp' | 'gasUsed' | 'gasLimit' | 'baseFeePerGas'>;

/** Wei per gas in the block after one; `undefined` where London is not active there. */
export function baseFeeAfter({ store: { spec } }: Chain, header: FeeHeader): bigint | undefined {
  const isLondon =
    spec !== undefined && forkRules(spec, { number: header.number + 1n, timestamp: header.timestamp }).isLondon;
  return isLondon ? (nextBaseFee(header) ?? initialBaseFee) : undefined;
}

/** The pending block after the head. @param now seconds since 1970 */
export function pendingFields(chain: Chain, head: Header, now = BigInt(Math.floor(Date.now() / 1000))): PendingFields {
  const { spec } = chain.store;
  const number = head.number + 1n;
  const timestamp = now > head.timestamp ? now : head.timestamp + 1n;
  const baseFeePerGas = baseFeeAfter(chain, head);
  const rules = spec && forkRules(spec, { number, timestamp });
  const isFirstWithBaseFee = baseFeePerGas !== undefined && head.baseFeePerGas === undefined;
  return {
    number,
    timestamp,
    gasLimit: gasLimitAfter(isFirstWithBaseFee ? head.gasLimit * elasticity : head.gasLimit),
    gasUsed: 0n,
    parentHash: head.hash,
    miner: zeroAddress,
    mixHash: zeroHash,
    ...(baseFeePerGas !== undefined && { baseFeePerGas }),
    ...(rules?.isCancun && { blobGasUsed: 0n, excessBlobGas: nextExcessBlobGas(head, rules) }),
  };
}

function gasLimitAfter(parent: bigint): bigint {
  const step = parent / gasLimitBoundDivisor - 1n;
  if (parent < gasCeiling) return parent + step < gasCeiling ? parent + step : gasCeiling;
  return parent - step > gasCeiling ? parent - step : gasCeiling;
}

/** The head of a chain. */
export function headOf({ store }: Chain): Header {
  const header = store.header(store.head.hash);
  if (header === undefined) throw new Error(`the head ${store.head.hash} has no header`);
  return header;
}

interface MadeBlock {
  readonly head: string;
  readonly until: number;
  readonly json: Promise<Json>;
}

/** Milliseconds that a pending block is kept for, as in geth. */
const keptMs = 2000;
const made = new WeakMap<object, MadeBlock>();

/** The pending block as eth_getBlockByNumber returns it: hash, nonce and miner are null, and there are no transactions. */
export function pendingBlockJson(context: RequestContext): Promise<Json> {
  const { store } = context.chain;
  const { hash } = store.head;
  const known = made.get(store);
  if (known?.head === hash && performance.now() < known.until) return known.json;
  const json = makePendingBlock(context);
  made.set(store, { head: hash, until: performance.now() + keptMs, json });
  // A failure is not kept.
  json.catch(() => made.delete(store));
  return json;
}

async function makePendingBlock({ chain, registry, principal }: RequestContext): Promise<Json> {
  const head = headOf(chain);
  const { timestamp, gasLimit, miner, mixHash } = pendingFields(chain, head);
  const simulation: Simulation = {
    blocks: [{ blockOverrides: { time: timestamp, gasLimit, feeRecipient: miner, prevRandao: mixHash }, calls: [] }],
    validation: true,
  };
  const job = { kind: 'simulate', chain: chain.network.name, blockHash: head.hash, simulation } as const;
  // Several requests may wait for it: none of them ends it.
  const { json } = await registry.execute(job, { lane: principal.account.id, signal: new AbortController().signal });
  const [{ calls: _, parentBeaconBlockRoot: __, ...block }] = JSON.parse(json) as [Record<string, unknown>];
  return { ...block, hash: null, nonce: null, miner: null };
}
