import type { UpstreamLimits } from './limits.ts';

/** Kinds of historical data, which nodes prune at different depths. */
export type HistoryKind = 'proof' | 'state' | 'receipts' | 'bodies';

/** Data of a block that a call reads. */
export interface HistoryNeed {
  readonly kind: HistoryKind;
  readonly number: bigint;
}

/** Learned abilities of one upstream: methods, depth of history, length of batches. */
export class Capabilities {
  readonly #limits: UpstreamLimits;
  readonly #now: () => number;
  readonly #unsupported = new Map<string, number>();
  /** Minimum depth below the head that was refused, with the time at which it is tried again. */
  readonly #pruned = new Map<HistoryKind, { readonly depth: bigint; readonly until: number }>();
  #height = -1n;
  #batchMax: number;

  constructor(limits: UpstreamLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
    this.#batchMax = limits.batchMax;
  }

  /** Highest block that the upstream has named; -1 before the first. */
  get height(): bigint {
    return this.#height;
  }

  get batchMax(): number {
    return this.#batchMax;
  }

  sawHeight(number: bigint): void {
    if (number > this.#height) this.#height = number;
  }

  /** Reports whether the upstream is expected to have the method. */
  supports(method: string): boolean {
    const until = this.#unsupported.get(method);
    if (until === undefined) return true;
    if (this.#now() < until) return false;
    this.#unsupported.delete(method);
    return true;
  }

  lacks(method: string): void {
    if (this.#unsupported.size < 1000) this.#unsupported.set(method, this.#now() + this.#limits.unsupportedMs);
  }

  /** Reports whether the upstream is expected to have the data. */
  reaches({ kind, number }: HistoryNeed): boolean {
    const pruned = this.#pruned.get(kind);
    if (pruned === undefined) return true;
    if (this.#now() >= pruned.until) {
      this.#pruned.delete(kind);
      return true;
    }
    return this.#height - number < pruned.depth;
  }

  /** Records that the upstream no longer has the data of this block. */
  pruned({ kind, number }: HistoryNeed): void {
    const depth = this.#height - number;
    const known = this.#pruned.get(kind);
    if (depth < 1n || (known !== undefined && known.depth <= depth)) return;
    this.#pruned.set(kind, { depth, until: this.#now() + this.#limits.unsupportedMs });
  }

  /** Depth from which on the data is refused, for messages and metrics. */
  prunedDepth(kind: HistoryKind): bigint | undefined {
    return this.#pruned.get(kind)?.depth;
  }

  /** Halves the batch length after a refusal. Returns false when single calls are refused, too. */
  shortenBatch(length: number): boolean {
    if (length <= 1) return false;
    this.#batchMax = Math.min(this.#batchMax, Math.max(1, Math.floor(length / 2)));
    return true;
  }
}
