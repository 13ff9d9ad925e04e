import { type BlockExchange, type ExchangeSession, LanePermits, withExchange } from '@cairn/block-exchange';
import type { Blockstore } from '@cairn/blockstore';
import type { CID } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import { GatewayError } from '@cairn/ipfs-gateway';
import { type ProcessGroup, type Registry, registerGauge, shareOf } from '@cairn/service-kit';
import type { GatewayMeter } from './gateway-meter.ts';
import type { IpfsGatewaySettings } from './settings.ts';

const limits = {
  /** Fetches that are open at the peer: of all clients and of one. Processes divide them. */
  permits: 2048,
  permitsPerClient: 64,
  /** Milliseconds without the peer after which requests fail. A restart takes about a second. */
  unreachableMs: 3000,
} as const;

/** Milliseconds between two looks at the connection to the peer. */
const reachableEveryMs = 250;
const retryAfterSeconds = 5;

/** Request whose missing content is fetched. */
export interface FetchingRequest {
  /** Ends the fetches. */
  readonly signal: AbortSignal;
  /** Account or client address, which takes turns with others. */
  readonly lane: string;
  /** Account that pays for fetched bytes. */
  readonly meter: GatewayMeter | undefined;
  /** Reports whether the client has the status of the response. */
  readonly isAnswered: () => boolean;
}

interface RequestReads extends FetchingRequest {
  readonly session: Pick<ExchangeSession, 'fetch'>;
  /** Time at which the request without an answer gets 504. */
  readonly answerBy: number;
}

/** Fetches missing content through the IPFS peer, and stores it. */
export class ContentFetch {
  readonly #exchange: BlockExchange | undefined;
  readonly #policy: IpfsGatewaySettings['IPFS_GATEWAY_FETCH'];
  readonly #seconds: number;
  readonly #permits: LanePermits;
  // Reads of one request have its signal and nothing else in common.
  readonly #requests = new WeakMap<AbortSignal, RequestReads>();
  readonly #counts = { blocks: 0, bytes: 0, failures: 0, timeouts: 0, unreachable: 0 };

  constructor(
    exchange: BlockExchange | undefined,
    settings: Pick<IpfsGatewaySettings, 'IPFS_GATEWAY_FETCH' | 'IPFS_GATEWAY_FETCH_SECONDS'>,
    processes: Pick<ProcessGroup, 'count'>,
  ) {
    this.#exchange = exchange;
    this.#permits = new LanePermits({
      permits: shareOf(limits.permits, processes),
      permitsPerLane: shareOf(limits.permitsPerClient, processes),
    });
    this.#policy = settings.IPFS_GATEWAY_FETCH;
    this.#seconds = settings.IPFS_GATEWAY_FETCH_SECONDS;
  }

  /** Reports whether missing content of a request is fetched. */
  allows({ isAccount, cacheControl = '' }: { readonly isAccount: boolean; readonly cacheControl?: string }): boolean {
    if (this.#exchange === undefined || this.#policy === 'no') return false;
    if (this.#policy === 'accounts' && !isAccount) return false;
    return !cacheControl.split(',').some((part) => part.trim().toLowerCase() === 'only-if-cached');
  }

  /** Begins to fetch what the reads of a request miss, until its signal ends. */
  open(request: FetchingRequest): void {
    const exchange = this.#exchange;
    const { signal, lane } = request;
    if (exchange === undefined || signal.aborted) return;
    let session: ExchangeSession | undefined;
    const fetch: ExchangeSession['fetch'] = async (cid, options = {}) =>
      await this.#permits.run(lane, options.signal, async () => {
        signal.throwIfAborted();
        session ??= exchange.openSession();
        return await session.fetch(cid, options);
      });
    signal.addEventListener('abort', () => session?.close(), { once: true });
    this.#requests.set(signal, { ...request, session: { fetch }, answerBy: Date.now() + this.#seconds * 1000 });
  }

  /** Reads of open requests fetch what the store misses. `has` and all other reads are local. */
  wrap(blocks: Blockstore): Pick<Blockstore, 'get' | 'has'> {
    const fetching = withExchange(blocks, {
      waitMs: (signal) => this.#waitMs(signal),
      sessionOf: (signal) => this.#requests.get(signal)?.session,
      onFetched: (signal, bytes) => {
        this.#requests.get(signal)?.meter?.fetched(bytes);
        this.#counts.blocks++;
        this.#counts.bytes += bytes;
      },
      onError: () => this.#counts.failures++,
    });
    return {
      get: async (cid, options = {}) => {
        const request = options.signal && this.#requests.get(options.signal);
        if (request === undefined) return await blocks.get(cid, options);
        await request.meter?.requireUse();
        try {
          const local = await blocks.get(cid, options).catch(ignoreMissing);
          return local ?? (await this.#whileReachable(cid, () => fetching.get(cid, options)));
        } catch (error) {
          if (!isCairnError(error, 'BLOCK_NOT_FOUND') || request.signal.aborted) throw error;
          this.#counts.timeouts++;
          throw this.#notFound(cid);
        }
      },
      has: (cid) => blocks.has(cid),
    };
  }

  registerMetrics(registry: Registry): void {
    const counts = this.#counts;
    const permits = this.#permits;
    registerGauge(registry, 'cairn_fetched_blocks', 'Blocks fetched from other nodes.', () => counts.blocks);
    registerGauge(registry, 'cairn_fetched_bytes', 'Bytes of blocks fetched from other nodes.', () => counts.bytes);
    registerGauge(registry, 'cairn_fetch_failures', 'Fetches that the exchange failed.', () => counts.failures);
    registerGauge(registry, 'cairn_fetch_timeouts', 'Blocks that were not found in time.', () => counts.timeouts);
    registerGauge(
      registry,
      'cairn_fetches_unreachable',
      'Blocks that were not fetched since the IPFS peer does not answer.',
      () => counts.unreachable,
    );
    registerGauge(registry, 'cairn_fetches_open', 'Fetches that run at the IPFS peer.', () => permits.running);
    registerGauge(registry, 'cairn_fetches_waiting', 'Fetches that wait for a permit.', () => permits.waiting);
  }

  /** The time to the status has one limit for all blocks. After it, the limit is the time to the next block. */
  #waitMs(signal: AbortSignal): number {
    const request = this.#requests.get(signal);
    if (request === undefined) return 0;
    return request.isAnswered() ? this.#seconds * 1000 : Math.max(0, request.answerBy - Date.now());
  }

  /** Waits for a block as long as the peer answers, or may answer again soon. @throws GatewayError 502 */
  async #whileReachable(cid: CID, read: () => Promise<Uint8Array>): Promise<Uint8Array> {
    if (this.#isUnreachable) throw this.#unreachable(cid);
    return await new Promise((resolve, reject) => {
      const timer = setInterval(() => {
        if (this.#isUnreachable) reject(this.#unreachable(cid));
      }, reachableEveryMs);
      const end = () => clearInterval(timer);
      read().then(resolve, reject).finally(end);
    });
  }

  get #isUnreachable(): boolean {
    return (this.#exchange?.unreachableMs?.() ?? 0) >= limits.unreachableMs;
  }

  #unreachable(cid: CID): GatewayError {
    this.#counts.unreachable++;
    return new GatewayError(
      502,
      `block ${cid} is not stored here, and the IPFS peer of this gateway does not answer: try again later`,
      { 'retry-after': String(retryAfterSeconds) },
    );
  }

  #notFound(cid: CID): GatewayError {
    return new GatewayError(
      504,
      `block ${cid} was not found in the IPFS network within ${this.#seconds} seconds: try again later, or check the CID`,
      { 'retry-after': String(retryAfterSeconds) },
    );
  }
}

function ignoreMissing(error: unknown): undefined {
  if (!isCairnError(error, 'BLOCK_NOT_FOUND')) throw error;
}
