import type { Json } from '@cairn/block-model';
import type { Simulation } from '@cairn/evm-executor';
import type { Chain } from '../../chains/chain.ts';
import { headOf, pendingFields } from '../../chains/pending-block.ts';
import type { RequestContext } from '../../request-context.ts';
import type { CallExecutor } from '../execution/call-executor.ts';

interface CachedBlock {
  readonly head: string;
  readonly until: number;
  readonly json: Promise<Json>;
}

/** Milliseconds for which a pending block is cached, as in geth. */
const cachedMs = 2000;

/** Pending blocks of all chains, built by a simulation without transactions. */
export class PendingBlocks {
  readonly #executor: CallExecutor;
  readonly #cached = new WeakMap<Chain['network'], CachedBlock>();

  constructor(executor: CallExecutor) {
    this.#executor = executor;
  }

  /** The pending block as eth_getBlockByNumber returns it: hash, nonce and miner are null, and there are no transactions. */
  json(context: RequestContext): Promise<Json> {
    const { chain } = context;
    const { hash } = chain.reader.head;
    const cached = this.#cached.get(chain.network);
    if (cached?.head === hash && performance.now() < cached.until) return cached.json;
    const json = this.#build(context);
    this.#cached.set(chain.network, { head: hash, until: performance.now() + cachedMs, json });
    // Failures are not cached.
    json.catch(() => this.#cached.delete(chain.network));
    return json;
  }

  /** The header of the pending block. */
  async headerJson(context: RequestContext): Promise<Json> {
    const { size: _, transactions: __, uncles: ___, withdrawals: ____, ...header } = await this.json(context);
    return header;
  }

  async #build(context: RequestContext): Promise<Json> {
    const { chain } = context;
    const head = headOf(chain);
    const { timestamp, gasLimit, miner, mixHash } = pendingFields(chain, head);
    const simulation: Simulation = {
      blocks: [{ blockOverrides: { time: timestamp, gasLimit, feeRecipient: miner, prevRandao: mixHash }, calls: [] }],
      validation: true,
    };
    const job = { kind: 'simulate', chain: chain.network.name, blockHash: head.hash, simulation } as const;
    const { json } = await this.#executor.runShared(context, job);
    const [{ calls: _, parentBeaconBlockRoot: __, ...block }] = JSON.parse(json) as [Record<string, unknown>];
    return { ...block, hash: null, nonce: null, miner: null };
  }
}
