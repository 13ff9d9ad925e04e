import { type BlockExchange, type FetchingBlockstore, LanePermits, withExchange } from '@cairn/block-exchange';
import { type Blockstore, type Fullness, withWait } from '@cairn/blockstore';
import type { CID } from '@cairn/cid';
import { isLeaf } from '@cairn/pinning';
import { type Registry, registerGauge } from '@cairn/service-kit';
import { readOptionsOf } from '../api-v0/read-options.ts';
import { BlockAnnouncer } from './block-announcer.ts';
import { RequestNetwork } from './request-network.ts';

const limits = {
  /** Fetches that are open at the peer: of all accounts and of one. */
  permits: 4096,
  permitsPerAccount: 512,
  /** Free bytes of the store below which blocks pass through this process, which applies the limits. */
  roomBytesMin: 256 * 1024 * 1024,
} as const;

/** Blocks of other nodes for the requests of this service. Without an exchange, reads are local. */
export class Network {
  /** True if the service connects an exchange. */
  readonly #isRemote: boolean;
  readonly #permits = new LanePermits({ permits: limits.permits, permitsPerLane: limits.permitsPerAccount });
  readonly #announcer = new BlockAnnouncer((cids) => this.#exchange?.announce(cids));
  #exchange: BlockExchange | undefined;
  #store: FetchingBlockstore | undefined;
  readonly #counts = { blocks: 0, bytes: 0, failures: 0 };

  constructor({ isRemote }: { readonly isRemote: boolean }) {
    this.#isRemote = isRemote;
  }

  /** Connects the exchange. Requests that began before stay local. */
  connect(exchange: BlockExchange): void {
    this.#exchange = exchange;
  }

  get isConnected(): boolean {
    return this.#exchange !== undefined;
  }

  /**
   * Wraps the store of the service: missing blocks are waited for and fetched, and written blocks are announced.
   * @param fullness returns the bytes and the limit of the store
   */
  wrap(store: Blockstore, fullness: () => Fullness): Blockstore {
    const waitMs = (signal: AbortSignal) => readOptionsOf(signal)?.waitMs ?? 0;
    if (!this.#isRemote) return withWait(store, { waitMs });
    // Peers may wait for fetched blocks too.
    const fetching = withExchange(this.#announcer.wrap(store), {
      waitMs,
      sessionOf: (signal) => readOptionsOf(signal)?.network,
      isLeaf: ({ cid, bytes }) => isLeaf(cid, bytes),
      mayStore: () => {
        const { bytes, bytesMax } = fullness();
        return bytesMax - bytes > limits.roomBytesMin;
      },
      onFetched: (signal, bytes) => {
        readOptionsOf(signal)?.work.fetched(bytes);
        this.#counts.blocks++;
        this.#counts.bytes += bytes;
      },
      onError: () => this.#counts.failures++,
    });
    this.#store = fetching;
    return fetching;
  }

  /** Opens the reads of one request; `undefined` without an exchange. The caller closes them. */
  open(account: string): RequestNetwork | undefined {
    if (this.#exchange === undefined || this.#store === undefined) return undefined;
    return new RequestNetwork({ exchange: this.#exchange, store: this.#store, permits: this.#permits, account });
  }

  registerMetrics(registry: Registry): void {
    const counts = this.#counts;
    const permits = this.#permits;
    registerGauge(registry, 'cairn_fetched_blocks', 'Blocks fetched from other nodes.', () => counts.blocks);
    registerGauge(registry, 'cairn_fetched_bytes', 'Bytes of blocks fetched from other nodes.', () => counts.bytes);
    registerGauge(registry, 'cairn_fetch_failures', 'Fetches that the exchange failed.', () => counts.failures);
    registerGauge(registry, 'cairn_fetches_open', 'Fetches that run at the IPFS peer.', () => permits.running);
    registerGauge(registry, 'cairn_fetches_waiting', 'Fetches that wait for a permit.', () => permits.waiting);
  }
}

/** Starts to fetch blocks that a request reads soon. Does nothing for local requests. */
export function prefetch(signal: AbortSignal, cids: readonly CID[]): void {
  readOptionsOf(signal)?.network?.prefetch(cids, signal);
}

/** Returns the callback of reads that know their next blocks; `undefined` for local requests. */
export function prefetchOf(signal: AbortSignal): ((cids: readonly CID[]) => void) | undefined {
  const network = readOptionsOf(signal)?.network;
  return network && ((cids) => network.prefetch(cids, signal));
}
