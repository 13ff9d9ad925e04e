import type { UpstreamNetwork } from '@cairn/chain-store';
import type { CallChain } from '@cairn/evm-executor/pool';
import type { HeadTracker, ProvenChain, ProvenReader } from '@cairn/proven-chain';
import type { LmdbContentCache } from '@cairn/proven-state';
import type { UpstreamPool } from '@cairn/upstream';
import type { Chain, ReadOptions } from '../chain.ts';
import type { SyncStatus } from '../sync-status.ts';

/** Headers below the head that are kept: two epochs and more. */
const keptMax = 128n;

/** A network that is read from untrusted nodes and verified from its head on. */
export class UpstreamChain implements Chain {
  readonly network: UpstreamNetwork;
  readonly upstreams: UpstreamPool;
  readonly heads: HeadTracker;
  readonly provenChain: ProvenChain;
  /** The network as the call workers open it. */
  readonly calls: CallChain;
  readonly lagBlocks = undefined;
  readonly #cache: LmdbContentCache;
  #isKeeping = false;

  constructor({
    network,
    pool,
    heads,
    provenChain,
    calls,
    cache,
  }: {
    readonly network: UpstreamNetwork;
    readonly pool: UpstreamPool;
    readonly heads: HeadTracker;
    readonly provenChain: ProvenChain;
    readonly calls: CallChain;
    readonly cache: LmdbContentCache;
  }) {
    this.network = network;
    this.upstreams = pool;
    this.heads = heads;
    this.provenChain = provenChain;
    this.calls = calls;
    this.#cache = cache;
  }

  /** Starts to follow the head, and to keep the headers below it. */
  start(): void {
    this.heads.listen(() => void this.#keepRecent());
    this.heads.start();
  }

  /**
   * Verifies and caches the headers of the newest blocks. After a reorg, upstreams may discard the old branch; events on its blocks
   * need its headers.
   */
  async #keepRecent(): Promise<void> {
    const latest = this.heads.heads?.latest;
    if (latest === undefined || this.#isKeeping) return;
    this.#isKeeping = true;
    try {
      await this.provenChain.ancestors.link(latest, latest.number > keptMax ? latest.number - keptMax : 0n);
    } catch {
      // The next head tries again. Requests that need a header report the reason.
    } finally {
      this.#isKeeping = false;
    }
  }

  /** Reader of the current heads. Other content can be read in {@link read} only. */
  get reader(): ProvenReader {
    return this.provenChain.peek();
  }

  get state(): ProvenReader {
    return this.reader;
  }

  get logs(): ProvenReader {
    return this.reader;
  }

  /** False: a head that is not verified yet is an error of each request, not a sync. */
  syncStatus(): SyncStatus {
    return false;
  }

  read<T>(work: (chain: Chain) => T | Promise<T>, options: ReadOptions = {}): Promise<T> {
    return this.provenChain.run((reader) => work(this.#over(reader)), options);
  }

  /** The same network over the reader of one run. */
  #over(reader: ProvenReader): Chain {
    const { network, upstreams, heads } = this;
    const chain: Chain = {
      network,
      upstreams,
      heads,
      reader,
      state: reader,
      logs: reader,
      lagBlocks: undefined,
      syncStatus: () => false,
      // A nested read belongs to the same run.
      read: (work) => work(chain),
    };
    return chain;
  }

  async close(): Promise<void> {
    await this.heads.close();
    await this.upstreams.close();
    await this.#cache.close();
  }
}
