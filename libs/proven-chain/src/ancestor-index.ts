import { bytesFromHex, type Header, type Hex, hexFromBytes, quantity } from '@cairn/block-model';
import { isCairnError } from '@cairn/errors';
import { runOverState } from '@cairn/proven-state';
import { ProvenChainError } from './errors.ts';
import { provenChainLimits } from './limits.ts';
import { linkedHeadersBelow } from './linked-headers.ts';
import type { ProvenBlocks, ReadOptions } from './proven-blocks.ts';

/** Contract that stores the hashes of the last 8,191 blocks (EIP-2935). */
const historyContract = bytesFromHex('0x0000f90827f1c53a10cb7a02335b175320002935');

/** Agreement of upstreams that stands in for a proof that no upstream can give. */
export interface Attestation {
  /** Number of upstreams that must name the same block. */
  readonly quorum: number;
  /** Names of the only upstreams that count. Default: all. */
  readonly among?: readonly string[];
}

/** Options of a read that may rest on an {@link Attestation}. */
export interface AncestorReadOptions extends ReadOptions {
  /** Called when the result rests on the agreement of upstreams. */
  readonly onQuorum?: () => void;
}

/** Ancestor that is known because of another block of the chain. */
interface KnownAncestor {
  readonly hash: Hex;
  /** Block whose descendants have this ancestor. */
  readonly anchor: { readonly hash: Hex; readonly number: bigint };
  readonly isAttested: boolean;
}

/**
 * Proves that a block is an ancestor of a trusted header: by parent links near it, else by storage proofs of the EIP-2935
 * contract, else by agreement of upstreams. Remembers the linked part, which a new head extends and a reorg cuts.
 */
export class AncestorIndex {
  readonly #blocks: ProvenBlocks;
  readonly #attestation: Attestation | undefined;
  /** Hashes of consecutive blocks that end at the newest head, from `#from` on. Replaced, never changed. */
  #hashes: readonly Hex[] = [];
  #from = 0n;
  readonly #far = new Map<bigint, KnownAncestor>();

  constructor(blocks: ProvenBlocks, { attestation }: { readonly attestation?: Attestation | undefined } = {}) {
    this.#blocks = blocks;
    this.#attestation = attestation;
  }

  /** Number of blocks in memory. */
  get length(): number {
    return this.#hashes.length;
  }

  /**
   * Hash of the ancestor at a height.
   * @param head a verified header
   * @throws ANCESTOR_UNPROVEN, BLOCK_RANGE_INVALID, UpstreamError
   */
  async hashAt(head: Header, number: bigint, options: AncestorReadOptions = {}): Promise<Hex> {
    requireBelow(head, number);
    const known = this.#known(head, number);
    if (known !== undefined) return known;
    if (head.number - number <= provenChainLimits.linkedMax) return await this.#linkedHash(head, number, options);
    const far = this.#far.get(number);
    if (far !== undefined && this.#known(head, far.anchor.number) === far.anchor.hash) {
      if (far.isAttested) options.onQuorum?.();
      return far.hash;
    }
    return await this.#farHash(head, number, options);
  }

  /** Like {@link hashAt}, from memory only. */
  knownHash(head: Header, number: bigint): Hex | undefined {
    return this.#known(head, number);
  }

  /** Hashes of all blocks of a range, in order. @throws BLOCK_RANGE_INVALID, UpstreamError */
  async range(head: Header, from: bigint, to: bigint, options: ReadOptions = {}): Promise<readonly Hex[]> {
    requireBelow(head, to);
    if (from > to || head.number - from >= provenChainLimits.rangeMax)
      throw new ProvenChainError('BLOCK_RANGE_INVALID', `The range from ${from} to ${to} is not valid.`, {
        hint: `Request a range that starts at most ${provenChainLimits.rangeMax} blocks below the head.`,
      });
    return await this.#linked(head, from, options, () => {
      const start = Number(from - this.#from);
      return this.#hashes.slice(start, start + Number(to - from) + 1);
    });
  }

  /** Verifies parent links from the head down to a height. Headers are fetched in rounds and enter the cache. */
  async link(head: Header, from: bigint, options: ReadOptions = {}): Promise<void> {
    for (;;) {
      await this.#extendTo(head, options);
      if (this.#from <= from) break;
      const [lowest] = this.#hashes;
      const missing = this.#from - from;
      const count = missing < provenChainLimits.headersPerRound ? Number(missing) : provenChainLimits.headersPerRound;
      const first = await this.#blocks.header(lowest as Hex, options);
      const below = await linkedHeadersBelow(this.#blocks, first, count, options);
      // Concurrent requests fetch the same headers once. The first one extends the index.
      if (this.#hashes[0] !== lowest) continue;
      this.#hashes = [...below.map(({ hash }) => hash), ...this.#hashes];
      this.#from -= BigInt(below.length);
    }
    const surplus = this.#hashes.length - provenChainLimits.indexMax;
    if (surplus <= 0) return;
    this.#hashes = this.#hashes.slice(surplus);
    this.#from += BigInt(surplus);
  }

  #known(head: Header, number: bigint): Hex | undefined {
    if (head.number < this.#from || this.#hashes[Number(head.number - this.#from)] !== head.hash) return undefined;
    return number < this.#from || number > head.number ? undefined : this.#hashes[Number(number - this.#from)];
  }

  #linkedHash(head: Header, number: bigint, options: ReadOptions): Promise<Hex> {
    return this.#linked(head, number, options, () => this.#known(head, number) as Hex);
  }

  /** Reads the index once it is linked down to a height. Another request may cut it at a reorg meanwhile. */
  async #linked<T>(head: Header, from: bigint, options: ReadOptions, read: () => T): Promise<T> {
    for (let attempt = 0; attempt < provenChainLimits.linkAttemptsMax; attempt++) {
      await this.link(head, from, options);
      if (this.#known(head, from) !== undefined) return read();
    }
    throw new ProvenChainError('ANCESTOR_UNPROVEN', `The chain changed too often to link block ${from}.`, {
      hint: 'Repeat the request.',
    });
  }

  /** Joins the head with the index by parent links, or starts a new index. */
  async #extendTo(head: Header, options: ReadOptions): Promise<void> {
    while (this.#known(head, head.number) === undefined) {
      const [hashes, from] = [this.#hashes, this.#from];
      const newer: Hex[] = [head.hash];
      let lowest = head;
      const isNear =
        hashes.length > 0 &&
        head.number >= from &&
        head.number - (from + BigInt(hashes.length) - 1n) <= provenChainLimits.linkedMax;
      const joins = () => hashes[Number(lowest.number - 1n - from)] === lowest.parentHash;
      while (isNear && lowest.number > from && !joins() && newer.length <= Number(provenChainLimits.linkedMax)) {
        lowest = await this.#blocks.header(lowest.parentHash, options);
        newer.unshift(lowest.hash);
      }
      if (this.#hashes !== hashes) continue;
      const isJoined = isNear && lowest.number > from && joins();
      this.#hashes = isJoined ? [...hashes.slice(0, Number(lowest.number - from)), ...newer] : newer;
      if (!isJoined) this.#from = lowest.number;
    }
  }

  /** By proofs of the history contract, else by links if these are few enough, else by agreement. */
  async #farHash(head: Header, number: bigint, options: AncestorReadOptions): Promise<Hex> {
    try {
      const hash = await this.#byHistory(head, number, options);
      this.#remember(number, { hash, anchor: head, isAttested: false });
      return hash;
    } catch (error) {
      if (!isCairnError(error, 'ANCESTOR_UNPROVEN', 'UPSTREAM_STATE_PRUNED', 'UPSTREAM_METHOD_UNSUPPORTED'))
        throw error;
      if (head.number - number <= provenChainLimits.farLinkedMax) return await this.#linkedHash(head, number, options);
      if (this.#attestation === undefined) throw unproven(head, number);
      const hash = await this.#byAgreement(number, this.#attestation, options);
      this.#remember(number, { hash, anchor: head, isAttested: true });
      options.onQuorum?.();
      return hash;
    }
  }

  #remember(number: bigint, { hash, anchor, isAttested }: KnownAncestor): void {
    this.#far.delete(number);
    this.#far.set(number, { hash, anchor: { hash: anchor.hash, number: anchor.number }, isAttested });
    const [oldest] = this.#far.keys();
    if (oldest !== undefined && this.#far.size > provenChainLimits.farMax) this.#far.delete(oldest);
  }

  /** Hash that a quorum names. @throws UPSTREAMS_DISAGREE, UPSTREAMS_UNAVAILABLE */
  async #byAgreement(number: bigint, { quorum, among }: Attestation, { signal }: ReadOptions): Promise<Hex> {
    const header = await this.#blocks.attestedHeader(quantity(number), { quorum, among, signal });
    if (header.number !== number) throw unproven(header, number);
    return header.hash;
  }

  /** Follows storage proofs of the history contract, each from the state of an ancestor that is proven already. */
  async #byHistory(head: Header, number: bigint, options: ReadOptions): Promise<Hex> {
    const { historyWindow, historyHopsMax } = provenChainLimits;
    const hops = (head.number - number + historyWindow - 1n) / historyWindow;
    if (head.requestsHash === undefined || hops > historyHopsMax) throw unproven(head, number);
    let at = head;
    while (at.number - number > historyWindow)
      at = await this.#blocks.header(await this.#historyHash(at, at.number - historyWindow, options), options);
    return this.#historyHash(at, number, options);
  }

  async #historyHash(at: Header, number: bigint, { signal }: ReadOptions): Promise<Hex> {
    const slot = new Uint8Array(32);
    new DataView(slot.buffer).setUint32(28, Number(number % provenChainLimits.historyWindow));
    const block = { hash: at.hash, number: at.number, stateRoot: bytesFromHex(at.stateRoot) };
    const { pool, cache } = this.#blocks;
    const { value } = await runOverState(block, (state) => state.getStorage(historyContract, slot), {
      pool,
      cache,
      signal,
      hint: [{ address: historyContract, slots: [slot], needsCode: false }],
    });
    // A chain without the contract has an empty slot; a short value has leading zeros.
    if (value.length === 0) throw unproven(at, number);
    const hash = new Uint8Array(32);
    hash.set(value, 32 - value.length);
    return hexFromBytes(hash);
  }
}

function requireBelow(head: Header, number: bigint): void {
  if (number >= 0n && number <= head.number) return;
  throw new ProvenChainError('BLOCK_RANGE_INVALID', `The chain has no block ${number}; its head is ${head.number}.`);
}

function unproven(head: Header, number: bigint): ProvenChainError {
  return new ProvenChainError(
    'ANCESTOR_UNPROVEN',
    `Block ${number} cannot be proven to be an ancestor of block ${head.number}.`,
    { hint: 'Request the block by its hash, or add an archive node or a second upstream to the network.' },
  );
}
