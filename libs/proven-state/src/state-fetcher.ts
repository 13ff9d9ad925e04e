import { keccak256 } from '@cairn/cid';
import type { UpstreamPool } from '@cairn/upstream';
import { CachedState, isEmptyCode, missing } from './cached-state.ts';
import { type ContentCache, keyOf } from './content-cache.ts';
import { chunksOf, fetchNeeds, type StateBlock } from './fetch-needs.ts';
import { provenStateLimits } from './limits.ts';
import type { AccountNeed } from './state-needs.ts';

/** Accounts whose last code hash is remembered. */
const codeHashesMax = 50_000;
/** Accounts that are forgotten together when there are too many. */
const codeHashesForgotten = 1_000;

export interface StateFetchOptions {
  readonly signal?: AbortSignal | undefined;
  /** Requests what is cached, too: a reader of the same cache misses it. Default: false. */
  readonly isForced?: boolean;
}

interface Pending {
  readonly account: Promise<void>;
  readonly slots: ReadonlySet<string>;
  readonly hasCode: boolean;
}

/**
 * Fetches accounts, slots and code for concurrent runs. What is cached is not requested, and what another run is fetching is shared.
 * Code is requested only where no known code belongs to the account.
 */
export class StateFetcher {
  readonly #pool: UpstreamPool;
  readonly #cache: ContentCache;
  /** Requests in flight by block hash and address. */
  readonly #pending = new Map<string, readonly Pending[]>();
  /** Last known code hash by address, ordered by last use. */
  readonly #codeHashes = new Map<string, Uint8Array>();

  constructor({ pool, cache }: { readonly pool: UpstreamPool; readonly cache: ContentCache }) {
    this.#pool = pool;
    this.#cache = cache;
  }

  /**
   * Makes reads available in the cache. All requests share one turn of the event loop, and therefore one batch; long lists are
   * requested in parts, of which later ones profit from cached nodes. A request continues when
   * its caller aborts, since others may share it; the deadline of the pool bounds it.
   * @returns whether anything was requested
   * @throws UpstreamError, or the reason of the signal
   */
  async fetch(
    block: StateBlock,
    needs: readonly AccountNeed[],
    { signal, isForced = false }: StateFetchOptions = {},
  ): Promise<boolean> {
    const state = new CachedState({ stateRoot: block.stateRoot, cache: this.#cache });
    let hasRequested = false;
    for (const part of chunksOf(needs, provenStateLimits.concurrentMax)) {
      signal?.throwIfAborted();
      const waits = part.flatMap((need) =>
        isForced ? [this.#request(block, need, need)] : this.#fetchOne(block, need, state),
      );
      if (waits.length === 0) continue;
      hasRequested = true;
      await unlessAborted(Promise.all(waits), signal);
    }
    return hasRequested;
  }

  /** The code hash that an account had when it was read last: a hint, since it may have changed. */
  codeHashOf(address: Uint8Array): Uint8Array | undefined {
    return this.#codeHashes.get(keyOf(address));
  }

  #fetchOne(block: StateBlock, need: AccountNeed, state: CachedState): Promise<void>[] {
    const left = this.#uncached(need, state);
    if (left === undefined) return [];
    const pending = this.#pending.get(pendingKey(block, need)) ?? [];
    const slots = left.slots.filter((slot) => !pending.some((other) => other.slots.has(keyOf(slot))));
    const needsCode = left.needsCode && !pending.some(({ hasCode }) => hasCode);
    const waits = pending.map(({ account }) => account);
    if (pending.length > 0 && slots.length === 0 && !needsCode) return waits;
    return [...waits, this.#request(block, { address: need.address, slots, needsCode }, need)];
  }

  /** @param wanted the need before parts were left out that are cached or probably cached */
  #request(block: StateBlock, need: AccountNeed, wanted: AccountNeed): Promise<void> {
    const key = pendingKey(block, need);
    const run = this.#run(block, need, wanted);
    const entry: Pending = { account: run, slots: new Set(need.slots.map(keyOf)), hasCode: need.needsCode };
    this.#pending.set(key, [...(this.#pending.get(key) ?? []), entry]);
    const forget = () => {
      const left = (this.#pending.get(key) ?? []).filter((other) => other !== entry);
      if (left.length > 0) this.#pending.set(key, left);
      else this.#pending.delete(key);
    };
    run.then(forget, forget);
    return run;
  }

  async #run(block: StateBlock, need: AccountNeed, { needsCode }: AccountNeed): Promise<void> {
    const { address } = need;
    const options = { pool: this.#pool, cache: this.#cache };
    await fetchNeeds(block, [need], options);
    const state = new CachedState({ stateRoot: block.stateRoot, cache: this.#cache });
    this.#remember(address, state);
    const account = state.account(address);
    if (account === missing || account === undefined || !needsCode || need.needsCode) return;
    // The account has other code than at its last read.
    if (state.code(account.codeHash) === missing)
      await fetchNeeds(block, [{ address, slots: [], needsCode: true }], options);
  }

  /** The part of a need that is not cached; `undefined` for none. */
  #uncached({ address, slots, needsCode }: AccountNeed, state: CachedState): AccountNeed | undefined {
    const account = state.account(address);
    if (account === missing) {
      const known = this.#codeHashes.get(keyOf(address));
      return { address, slots, needsCode: needsCode && (known === undefined || state.code(known) === missing) };
    }
    if (account === undefined) return undefined;
    this.#remember(address, state);
    const left = slots.filter((slot) => state.slot(account, slot) === missing);
    const lacksCode = needsCode && state.code(account.codeHash) === missing;
    return left.length > 0 || lacksCode ? { address, slots: left, needsCode: lacksCode } : undefined;
  }

  #remember(address: Uint8Array, state: CachedState): void {
    const account = state.account(address);
    if (account === missing || account === undefined) return;
    const key = keyOf(address);
    this.#codeHashes.delete(key);
    this.#codeHashes.set(key, isEmptyCode(account.codeHash) ? emptyCodeHash : account.codeHash);
    if (this.#codeHashes.size <= codeHashesMax) return;
    // Many together: a search for the oldest one passes all entries that were deleted before it.
    for (const oldest of this.#codeHashes.keys()) {
      if (this.#codeHashes.size <= codeHashesMax - codeHashesForgotten) break;
      this.#codeHashes.delete(oldest);
    }
  }
}

function pendingKey({ hash }: StateBlock, { address }: AccountNeed): string {
  return `${hash} ${keyOf(address)}`;
}

const emptyCodeHash = keccak256(new Uint8Array(0));

async function unlessAborted(work: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return void (await work);
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
