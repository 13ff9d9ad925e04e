import { type CID, verifyBytes } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import type { PublicHttp } from '@cairn/public-http';
import type { ExchangePeer } from '../block-exchange.ts';
import type { LanePermits } from '../permits.ts';
import type { HttpExchangeLimits } from './limits.ts';

export interface GatewayHostOptions {
  /** Base URL; `/ipfs/<cid>` is appended. */
  readonly url: string;
  readonly http: PublicHttp;
  readonly limits: HttpExchangeLimits;
  /** Permits of all hosts. The lane is the host. */
  readonly permits: LanePermits;
  readonly now: () => number;
}

/** Latencies of the last responses. */
const samplesMax = 64;
/** Statuses of a gateway that works and lacks the block, or may not serve it. */
const absentStatuses: ReadonlySet<number> = new Set([404, 410, 451, 504]);

/** One gateway with its health. */
export class GatewayHost {
  readonly name: string;
  readonly #options: GatewayHostOptions;
  readonly #base: string;
  readonly #latencies: number[] = [];
  #failures = 0;
  #exclusions = 0;
  /** Time before which the host is not asked. */
  #availableAt = 0;
  #running = 0;
  #blocksReceived = 0;
  #bytesReceived = 0;

  constructor(options: GatewayHostOptions) {
    this.#options = options;
    this.#base = options.url.replace(/\/+$/, '');
    this.name = new URL(options.url).host;
  }

  /** Milliseconds until the host may be asked; 0 for now. */
  get waitMs(): number {
    return Math.max(0, this.#availableAt - this.#options.now());
  }

  get isIdle(): boolean {
    return this.#running === 0;
  }

  /** Rank among hosts: the lowest is asked first. */
  get rank(): number {
    const { hedgeMsMax } = this.#options.limits;
    return (this.#median ?? hedgeMsMax / 10) * (1 + this.#running) + this.#failures * hedgeMsMax;
  }

  /** Milliseconds after which another host is asked, too. */
  get hedgeMs(): number {
    const { hedgeMsMin, hedgeMsMax } = this.#options.limits;
    return Math.min(hedgeMsMax, Math.max(hedgeMsMin, this.#quantile(0.95) ?? hedgeMsMin * 5));
  }

  get traffic(): ExchangePeer {
    return {
      peer: this.name,
      bytesReceived: this.#bytesReceived,
      blocksReceived: this.#blocksReceived,
      bytesSent: 0,
      blocksSent: 0,
    };
  }

  /** Asks for a block. Resolves to undefined when the host lacks it or fails, which changes its health. */
  async fetch(cid: CID, signal: AbortSignal): Promise<Uint8Array | undefined> {
    this.#running++;
    try {
      return await this.#options.permits.run(this.name, signal, () => this.#request(cid, signal));
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      this.#failed(error);
      return undefined;
    } finally {
      this.#running--;
    }
  }

  async #request(cid: CID, signal: AbortSignal): Promise<Uint8Array | undefined> {
    if (this.waitMs > 0) return undefined;
    const { http, limits, now } = this.#options;
    const start = now();
    const { status, headers, bytes } = await http.request(`${this.#base}/ipfs/${cid.toV1()}?format=raw`, {
      headers: { accept: 'application/vnd.ipld.raw' },
      bytesMax: limits.blockBytesMax,
      timeoutMs: limits.requestMs,
      redirectsMax: limits.redirectsMax,
      signal,
    });
    this.#bytesReceived += bytes.length;
    if (status === 429 || status === 503) {
      this.#backOff(retryAfterMs(headers['retry-after'], limits.retryAfterMsMax));
      return undefined;
    }
    if (status !== 200) {
      if (!absentStatuses.has(status)) this.#backOff();
      return undefined;
    }
    verifyBytes(cid, bytes);
    this.#latencies.push(now() - start);
    if (this.#latencies.length > samplesMax) this.#latencies.shift();
    this.#failures = 0;
    this.#blocksReceived++;
    return bytes;
  }

  #failed(error: unknown): void {
    const isWrong =
      isCairnError(error, 'BLOCK_CORRUPT') ||
      isCairnError(error, 'HTTP_BODY_TOO_LARGE') ||
      isCairnError(error, 'HTTP_REDIRECT_REFUSED') ||
      isCairnError(error, 'HTTP_ADDRESS_REFUSED');
    if (!isWrong) {
      this.#backOff();
      return;
    }
    const { exclusionMsMin, exclusionMsMax } = this.#options.limits;
    this.#availableAt = this.#options.now() + Math.min(exclusionMsMax, exclusionMsMin * 2 ** this.#exclusions);
    this.#exclusions++;
  }

  #backOff(askedMs = 0): void {
    const { backOffMsMin, backOffMsMax } = this.#options.limits;
    const ownMs = Math.min(backOffMsMax, backOffMsMin * 2 ** this.#failures);
    this.#failures = Math.min(this.#failures + 1, 16);
    this.#availableAt = this.#options.now() + Math.max(ownMs, askedMs);
  }

  get #median(): number | undefined {
    return this.#quantile(0.5);
  }

  #quantile(share: number): number | undefined {
    const sorted = [...this.#latencies].sort((one, other) => one - other);
    return sorted[Math.ceil(sorted.length * share) - 1];
  }
}

/** Milliseconds of a `Retry-After` field in seconds or as a date, within the limit. */
function retryAfterMs(field: string | undefined, msMax: number): number {
  if (field === undefined) return 0;
  const ms = /^\d{1,9}$/.test(field) ? Number(field) * 1000 : Date.parse(field) - Date.now();
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), msMax) : 0;
}
