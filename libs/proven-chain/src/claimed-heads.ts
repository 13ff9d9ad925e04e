import { quantity } from '@cairn/block-model';
import type { Attestation } from './ancestor-index.ts';
import type { HeadFeed, NamedHeads } from './head-feed.ts';
import { requireKnownHeaders } from './header-format.ts';
import type { ProvenBlocks } from './proven-blocks.ts';

/** Minimum time in milliseconds between two reads of the safe and the finalized block, which change every few minutes. */
const finalityEveryMs = 6000;

export interface ClaimedHeadsOptions {
  readonly blocks: ProvenBlocks;
  readonly attestation: Attestation;
  /** Called when a check fails. The last heads stay. */
  readonly onError?: (error: unknown) => void;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

/**
 * Heads that a number of upstreams agree on, or that one trusted upstream names. The head is the newest block that so many upstreams
 * have: they need not be at the same height.
 */
export class ClaimedHeads implements HeadFeed {
  readonly #options: ClaimedHeadsOptions;
  readonly #now: () => number;
  /** Newest claim of each upstream. */
  readonly #claims = new Map<string, { readonly number: bigint; readonly hash: string }>();
  #heads: NamedHeads | undefined;
  #finalityAt = Number.NEGATIVE_INFINITY;
  #onHeads: (heads: NamedHeads) => void = () => {};
  #stopListening: (() => void) | undefined;
  readonly #stop = new AbortController();
  #checking: Promise<void> | undefined;
  #isDirty = false;
  #isFormatKnown = false;

  constructor(options: ClaimedHeadsOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  start(onHeads: (heads: NamedHeads) => void): void {
    const { among } = this.#options.attestation;
    this.#onHeads = onHeads;
    this.#stopListening = this.#options.blocks.pool.onHead(({ upstream, number, hash }) => {
      if (among !== undefined && !among.includes(upstream)) return;
      this.#claims.set(upstream, { number, hash });
      this.#check();
    });
  }

  close(): void {
    this.#stopListening?.();
    this.#stop.abort(new Error('The network is closed.'));
  }

  /** Starts a check. Claims during a check lead to one more check. */
  #check(): void {
    if (this.#stop.signal.aborted) return;
    this.#isDirty = true;
    this.#checking ??= this.#checkAll().finally(() => {
      this.#checking = undefined;
    });
  }

  async #checkAll(): Promise<void> {
    while (this.#isDirty && !this.#stop.signal.aborted) {
      this.#isDirty = false;
      try {
        await this.#checkOnce();
      } catch (error) {
        if (!this.#stop.signal.aborted) this.#options.onError?.(error);
      }
    }
  }

  async #checkOnce(): Promise<void> {
    const { blocks, attestation } = this.#options;
    const { quorum } = attestation;
    const claims = [...this.#claims.values()].sort((a, b) => Number(b.number - a.number));
    const agreed = claims[quorum - 1];
    if (agreed === undefined) return;
    const last = this.#heads?.latest;
    if (last !== undefined && agreed.hash === last && claims.filter(({ hash }) => hash === last).length >= quorum)
      return;
    const { signal } = this.#stop;
    if (!this.#isFormatKnown) await requireKnownHeaders(blocks.pool, { ...attestation, signal });
    this.#isFormatKnown = true;
    const [{ hash: latest }, finality] = await Promise.all([
      blocks.attestedHeader(quantity(agreed.number), { ...attestation, signal }),
      this.#finality(),
    ]);
    this.#heads = { ...finality, latest };
    this.#onHeads(this.#heads);
  }

  /** Blocks of the tags `safe` and `finalized`. A chain without them, or a disagreement, leaves the last ones. */
  async #finality(): Promise<Omit<NamedHeads, 'latest'>> {
    const { safe, finalized } = this.#heads ?? {};
    const last = { ...(safe && { safe }), ...(finalized && { finalized }) };
    if (this.#now() - this.#finalityAt < finalityEveryMs) return last;
    this.#finalityAt = this.#now();
    const tags = ['safe', 'finalized'] as const;
    const found = await Promise.all(
      tags.map(async (tag) => {
        const { blocks, attestation } = this.#options;
        const header = await blocks
          .attestedHeader(tag, { ...attestation, signal: this.#stop.signal })
          .catch(() => undefined);
        return header === undefined ? {} : { [tag]: header.hash };
      }),
    );
    return Object.assign(last, ...found);
  }
}
