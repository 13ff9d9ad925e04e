import {
  type AccountProof,
  type Block,
  type BlockTag,
  bytesFromHex,
  type ChainSpec,
  type Header,
  type Hex,
  type LogCondition,
  type LogQuery,
  type Receipt,
} from '@cairn/block-model';
import { ProvenState, StateNeeds } from '@cairn/proven-state';
import { ProvenChainError } from './errors.ts';
import type { ProvenHeads } from './proven-heads.ts';
import type { ProvenLog } from './proven-logs.ts';
import type { MemoValues, RunFetches, RunMemo } from './run-memo.ts';

/** Thrown by a read whose result is not fetched yet. The run catches it, fetches, and starts again. */
export class ContentMissing extends Error {}

/**
 * Synchronous reads of a chain whose content is fetched on demand, for one attempt of one run. A read that is not in the memo
 * is recorded and throws {@link ContentMissing}. Reads of state record what is missing and return empty values instead.
 */
export class ProvenReader {
  readonly spec: ChainSpec;
  readonly #genesisHash: Hex | undefined;
  readonly #given: ProvenHeads | undefined;
  readonly #memo: RunMemo;
  readonly #fetches: RunFetches;
  /** Missing reads of state, by block hash. */
  readonly needs = new Map<Hex, { readonly header: Header; readonly needs: StateNeeds }>();
  /** Work that makes the missing reads available. */
  readonly missing = new Map<string, () => Promise<void>>();

  constructor(options: {
    readonly spec: ChainSpec;
    readonly genesisHash?: Hex | undefined;
    /** Undefined before the first head is verified. */
    readonly heads: ProvenHeads | undefined;
    readonly memo: RunMemo;
    readonly fetches: RunFetches;
  }) {
    this.spec = options.spec;
    this.#genesisHash = options.genesisHash;
    this.#given = options.heads;
    this.#memo = options.memo;
    this.#fetches = options.fetches;
  }

  /** @throws HEAD_UNAVAILABLE */
  get #heads(): ProvenHeads {
    if (this.#given !== undefined) return this.#given;
    throw new ProvenChainError('HEAD_UNAVAILABLE', 'The head of the network is not verified yet.', {
      hint: 'Retry in a few seconds, and check the upstreams and the head source of the network.',
    });
  }

  get chainId(): bigint {
    return BigInt(this.spec.chainId);
  }

  get genesisHash(): Hex {
    return this.#genesisHash ?? (this.hashByNumber(0n) as Hex);
  }

  get headOrNone(): { readonly hash: Hex; readonly number: bigint } | undefined {
    return this.#given?.latest;
  }

  get head(): { readonly hash: Hex; readonly number: bigint } {
    return this.#heads.latest;
  }

  /** Hash of the canonical block at a height; `undefined` above the head. */
  hashByNumber(number: bigint): Hex | undefined {
    const { latest } = this.#heads;
    if (number < 0n || number > latest.number) return undefined;
    if (number === latest.number) return latest.hash;
    if (number === latest.number - 1n) return latest.parentHash;
    if (number === 0n && this.#genesisHash !== undefined) return this.#genesisHash;
    const known = this.#fetches.knownHash(latest, number);
    if (known !== undefined) return known;
    return this.#read('hashes', `${number}`, () => this.#fetches.hash(this.#heads.latest, number));
  }

  /** Hash and height of a tag. `safe` and `finalized` fall back to genesis where the head source names none. */
  blockByTag(tag: BlockTag): { readonly hash: Hex; readonly number: bigint } {
    const { latest, safe, finalized } = this.#heads;
    if (tag === 'latest' || tag === 'pending') return latest;
    const named = tag === 'safe' ? safe : tag === 'finalized' ? finalized : undefined;
    return named ?? { hash: this.genesisHash, number: 0n };
  }

  isCanonical(hash: Hex): boolean {
    const header = this.header(hash);
    return header !== undefined && this.hashByNumber(header.number) === hash;
  }

  header(hash: Hex): Header | undefined {
    for (const header of [this.#given?.latest, this.#given?.safe, this.#given?.finalized])
      if (header?.hash === hash) return header;
    const cached = this.#memo.get('headers', hash)?.value ?? this.#fetches.cachedHeader(hash);
    if (cached !== undefined) return cached;
    return this.#read('headers', hash, () => this.#fetches.header(hash));
  }

  block(hash: Hex): Block | undefined {
    return this.#read('blocks', hash, () => this.#fetches.block(hash));
  }

  receipts(hash: Hex): readonly Receipt[] | undefined {
    return this.#read('receipts', hash, () => this.#fetches.receipts(hash));
  }

  /** Block and index of a canonical transaction. An upstream can withhold them, but not forge them. */
  transactionPlace(hash: Hex): { readonly blockHash: Hex; readonly index: number } | undefined {
    const place = this.#read('places', hash, () => this.#fetches.place(this.#heads.latest, hash));
    return place !== undefined && this.isCanonical(place.blockHash) ? place : undefined;
  }

  /** Unknown: later forks do not need it, and no header proves it. */
  totalDifficulty(): undefined {
    return undefined;
  }

  /** Heights whose blooms match all conditions, ascending. */
  heightsWithLogs(
    fields: readonly [LogCondition, ...LogCondition[]],
    range: { readonly from: bigint; readonly to: bigint },
  ): bigint[] {
    const key = JSON.stringify([fields, `${range.from}`, `${range.to}`]);
    const heights = this.#read('heights', key, () => this.#fetches.heights(this.#heads.latest, fields, range));
    return [...(heights ?? [])];
  }

  /**
   * All logs of a range that match, provably complete. Fetches by itself: repeated work should request it once.
   * @throws LOGS_TOO_MANY, BLOCK_RANGE_INVALID, UpstreamError
   */
  matchingLogs(query: LogQuery & { readonly from: bigint; readonly to: bigint }): Promise<readonly ProvenLog[]> {
    return this.#fetches.logs(this.#heads.latest, query);
  }

  /** State after a block; `undefined` for an unknown block. */
  stateAt(hash: Hex): ProvenState | undefined {
    const header = this.header(hash);
    if (header === undefined) return undefined;
    const entry = this.needs.get(hash) ?? { header, needs: new StateNeeds() };
    this.needs.set(hash, entry);
    return new ProvenState({
      stateRoot: bytesFromHex(header.stateRoot),
      cache: this.#fetches.cache,
      needs: entry.needs,
    });
  }

  proof(hash: Hex, address: Uint8Array, slots: readonly Uint8Array[]): AccountProof | undefined {
    const state = this.stateAt(hash);
    if (state === undefined) return undefined;
    const proof = state.proof(address, slots);
    if (proof === undefined) throw new ContentMissing();
    return proof;
  }

  #read<Kind extends keyof MemoValues>(
    kind: Kind,
    key: string,
    fetch: () => Promise<MemoValues[Kind] | undefined>,
  ): MemoValues[Kind] | undefined {
    const known = this.#memo.get(kind, key);
    if (known !== undefined) return known.value;
    this.#memo.requireRoom(this.missing.size);
    this.missing.set(`${kind} ${key}`, async () => {
      this.#memo.set(kind, key, await fetch());
    });
    throw new ContentMissing();
  }
}
