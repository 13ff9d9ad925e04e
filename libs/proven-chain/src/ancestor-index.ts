import { bytesFromHex, type Header, type Hex, hexFromBytes } from '@cairn/block-model';
import { runOverState } from '@cairn/proven-state';
import { ProvenChainError } from './errors.ts';
import { provenChainLimits } from './limits.ts';
import type { ProvenBlocks, ReadOptions } from './proven-blocks.ts';

/** Contract that stores the hashes of the last 8,191 blocks (EIP-2935). */
const historyContract = bytesFromHex('0x0000f90827f1c53a10cb7a02335b175320002935');

/**
 * Proves that a block is an ancestor of a trusted header: by parent links near it, else by storage proofs of the EIP-2935
 * contract. Remembers the linked part, which a new head extends and a reorg cuts.
 */
export class AncestorIndex {
  readonly #blocks: ProvenBlocks;
  /** Hashes of consecutive blocks that end at the newest head, from `#from` on. */
  #hashes: Hex[] = [];
  #from = 0n;

  constructor(blocks: ProvenBlocks) {
    this.#blocks = blocks;
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
  async hashAt(head: Header, number: bigint, options: ReadOptions = {}): Promise<Hex> {
    requireBelow(head, number);
    const known = this.#known(head, number);
    if (known !== undefined) return known;
    if (head.number - number <= provenChainLimits.linkedMax) {
      await this.link(head, number, options);
      return this.#known(head, number) as Hex;
    }
    return this.#byHistory(head, number, options);
  }

  /** Hashes of all blocks from a height up to the head, in order. @throws BLOCK_RANGE_INVALID, UpstreamError */
  async range(head: Header, from: bigint, to: bigint, options: ReadOptions = {}): Promise<readonly Hex[]> {
    requireBelow(head, to);
    if (from > to || head.number - from >= provenChainLimits.rangeMax)
      throw new ProvenChainError('BLOCK_RANGE_INVALID', `The range from ${from} to ${to} is not valid.`, {
        hint: `Request a range that starts at most ${provenChainLimits.rangeMax} blocks below the head.`,
      });
    await this.link(head, from, options);
    const start = Number(from - this.#from);
    return this.#hashes.slice(start, start + Number(to - from) + 1);
  }

  /** Verifies parent links from the head down to a height. Headers are fetched in rounds and enter the cache. */
  async link(head: Header, from: bigint, options: ReadOptions = {}): Promise<void> {
    await this.#extendTo(head, options);
    while (this.#from > from) {
      const missing = this.#from - from;
      const count = missing < provenChainLimits.headersPerRound ? Number(missing) : provenChainLimits.headersPerRound;
      const first = await this.#blocks.header(this.#hashes[0] as Hex, options);
      const below = await this.#linkedBelow(first, count, options);
      this.#hashes = [...below, ...this.#hashes];
      this.#from -= BigInt(below.length);
    }
    const surplus = this.#hashes.length - provenChainLimits.indexMax;
    if (surplus <= 0) return;
    this.#hashes.splice(0, surplus);
    this.#from += BigInt(surplus);
  }

  #known(head: Header, number: bigint): Hex | undefined {
    const end = this.#from + BigInt(this.#hashes.length) - 1n;
    if (head.number > end || this.#hashes[Number(head.number - this.#from)] !== head.hash) return undefined;
    return number < this.#from ? undefined : this.#hashes[Number(number - this.#from)];
  }

  /** Joins the head with the index by parent links, or starts a new index. */
  async #extendTo(head: Header, options: ReadOptions): Promise<void> {
    const end = this.#from + BigInt(this.#hashes.length) - 1n;
    if (this.#known(head, head.number) !== undefined) {
      this.#hashes.length = Number(head.number - this.#from) + 1;
      return;
    }
    const isNear =
      this.#hashes.length > 0 && head.number - end <= provenChainLimits.linkedMax && head.number >= this.#from;
    const newer: Hex[] = [head.hash];
    let lowest = head;
    while (isNear && lowest.number > this.#from) {
      const parentAt = Number(lowest.number - 1n - this.#from);
      if (this.#hashes[parentAt] === lowest.parentHash) {
        this.#hashes.length = parentAt + 1;
        this.#hashes.push(...newer);
        return;
      }
      if (newer.length > Number(provenChainLimits.linkedMax)) break;
      lowest = await this.#blocks.header(lowest.parentHash, options);
      newer.unshift(lowest.hash);
    }
    this.#hashes = newer;
    this.#from = lowest.number;
  }

  /** Hashes of the blocks below a header, in order. Headers that do not link are fetched again by the hash that links. */
  async #linkedBelow(header: Header, count: number, options: ReadOptions): Promise<Hex[]> {
    const { cache } = this.#blocks;
    const from = header.number - BigInt(count);
    const headers = await this.#blocks.unlinkedHeaders(from, count, options);
    const hashes: Hex[] = [];
    let expected = header.parentHash;
    for (const named of headers.toReversed()) {
      const linked = named.hash === expected ? named : await this.#blocks.header(expected, options);
      cache.put(bytesFromHex(linked.hash), linked.raw);
      hashes.push(linked.hash);
      expected = linked.parentHash;
    }
    return hashes.reverse();
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
    { hint: 'Request a newer block, or use a network with a quorum of upstreams.' },
  );
}
