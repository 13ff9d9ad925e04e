import {
  type Block,
  blockFromJson,
  bytesFromHex,
  type Header,
  type Hex,
  hasUnknownType,
  headerFromJson,
  type Json,
  type Receipt,
  receiptFromJson,
  verifyBlock,
  verifyReceipts,
} from '@cairn/block-model';
import { isCairnError } from '@cairn/errors';
import type { ContentCache } from '@cairn/proven-state';
import { answerInvalid, notYetKnown, type UpstreamCall, type UpstreamPool } from '@cairn/upstream';
import { CachedBlocks } from './cached-blocks.ts';
import { ProvenChainError } from './errors.ts';
import { type ComparableBody, comparableBlock, comparableReceipts, textOfBody } from './quorum-bodies.ts';

export interface ProvenBlocksOptions {
  readonly pool: UpstreamPool;
  /** Cache of headers by their hash, and of bodies and receipts. */
  readonly cache: ContentCache;
  /**
   * Upstreams that must return the same body for a block with transaction types of no known format, which its header cannot
   * prove. Default: such a body is a wrong answer.
   */
  readonly bodyAttestation?: { readonly quorum: number; readonly among?: readonly string[] } | undefined;
}

export interface ReadOptions {
  readonly signal?: AbortSignal;
}

/** Header that an upstream names for a height. */
export interface NamedHeader {
  readonly header: Header;
  readonly upstream: string;
}

/** Options of a read by a hash that a client gave. */
export interface FindOptions extends ReadOptions {
  /** Fail with UPSTREAM_NOT_FOUND when no upstream has the block. Default: ask again within the deadline. */
  readonly mayBeAbsent?: boolean;
}

/**
 * Blocks by hash from untrusted nodes. Headers are verified against the hash, bodies against the roots of the header, receipts
 * against its receipts root, bloom and gas.
 */
export class ProvenBlocks {
  readonly pool: UpstreamPool;
  readonly cache: ContentCache;
  readonly #bodyAttestation: ProvenBlocksOptions['bodyAttestation'];
  readonly #cached: CachedBlocks;

  constructor({ pool, cache, bodyAttestation }: ProvenBlocksOptions) {
    this.pool = pool;
    this.cache = cache;
    this.#bodyAttestation = bodyAttestation;
    this.#cached = new CachedBlocks(cache);
  }

  /** A header that needs no request. */
  cachedHeader(hash: Hex): Header | undefined {
    return this.#cached.header(hash);
  }

  /** @throws UpstreamError, or the reason of the signal */
  async header(hash: Hex, { signal, mayBeAbsent = false }: FindOptions = {}): Promise<Header> {
    const cached = this.#cached.header(hash);
    if (cached !== undefined) return cached;
    const { value } = await this.pool.request(
      {
        method: 'eth_getBlockByHash',
        params: [hash, false],
        shareAs: `header ${hash} ${mayBeAbsent}`,
        mayBeAbsent,
        parse: (result) => verified(() => headerOf(result, hash)),
      },
      { ...(signal && { signal }) },
    );
    this.cache.put(bytesFromHex(hash), value.raw);
    return value;
  }

  /**
   * Headers by number, as an upstream names them. Their hashes are computed, but nothing proves that they are ancestors of a
   * trusted header: see {@link AncestorIndex}.
   * @throws UpstreamError, or the reason of the signal
   */
  async unlinkedHeaders(
    from: bigint,
    count: number,
    { signal, avoid }: ReadOptions & { readonly avoid?: ReadonlySet<string> } = {},
  ): Promise<readonly NamedHeader[]> {
    const numbers = Array.from({ length: count }, (_, i) => from + BigInt(i));
    const answers = await Promise.all(
      numbers.map((number) =>
        this.pool.request(
          {
            method: 'eth_getBlockByNumber',
            params: [`0x${number.toString(16)}`, false],
            need: { kind: 'bodies', number },
            shareAs: `header ${number} ${[...(avoid ?? [])].join()}`,
            ...(avoid && { avoid: new Set(avoid) }),
            parse: (result) =>
              verified(() => {
                const header = headerOf(result);
                if (header.number !== number)
                  throw answerInvalid(`the block has number ${header.number}, not ${number}`);
                return header;
              }),
          },
          { ...(signal && { signal }) },
        ),
      ),
    );
    return answers.map(({ value, upstream }) => ({ header: value, upstream }));
  }

  /**
   * Header that a number of upstreams name for a height or a tag. Its hash is computed; only the agreement says that it is part
   * of the chain.
   * @throws UPSTREAMS_DISAGREE, UPSTREAMS_UNAVAILABLE, or the reason of the signal
   */
  async attestedHeader(
    block: string,
    {
      quorum,
      among,
      signal,
    }: { quorum: number; among?: readonly string[] | undefined; signal?: AbortSignal | undefined },
  ): Promise<Header> {
    const { value } = await this.pool.requestQuorum(
      {
        method: 'eth_getBlockByNumber',
        params: [block, false],
        parse: (result) => verified(() => headerOf(result)),
      },
      { quorum, textOf: ({ hash }) => hash, ...(among && { among }), ...(signal && { signal }) },
    );
    this.cache.put(bytesFromHex(value.hash), value.raw);
    return value;
  }

  /** @throws UpstreamError, or the reason of the signal */
  async block(hash: Hex, { signal, mayBeAbsent = false }: FindOptions = {}): Promise<Block> {
    const known = this.#cached.block(hash);
    if (known !== undefined) return known;
    const header = await this.header(hash, { ...(signal && { signal }), mayBeAbsent });
    const uncles = await this.#uncles(header, signal);
    const value = await this.#body(
      {
        method: 'eth_getBlockByHash',
        params: [hash, true],
        need: { kind: 'bodies', number: header.number },
        shareAs: `block ${hash}`,
      },
      (result, isQuorum): ComparableBody<Block> | undefined => {
        const json = objectOf(result, hash);
        if (this.#bodyAttestation !== undefined && hasUnknownType(json.transactions))
          return isQuorum ? comparableBlock(json, hash, uncles) : undefined;
        const block = blockFromJson(json, uncles);
        verifyBlock(block, hash);
        return { value: block };
      },
      signal,
    );
    this.#cached.addBlock(this.cache, value);
    return value;
  }

  /**
   * Reads a body that its header proves or, if `parse` returns `undefined` for types of no known format, one that a quorum of
   * upstreams agrees on. A proven answer needs no quorum, so one liar cannot prevent it.
   */
  async #body<T>(
    call: Omit<UpstreamCall<T>, 'parse'>,
    parse: (result: unknown, isQuorum: boolean) => ComparableBody<T> | undefined,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    const options = { ...(signal && { signal }) };
    const read = (isQuorum: boolean) => (result: unknown) => verified(() => parse(result, isQuorum));
    const { value: body } = await this.pool.request({ ...call, parse: read(false) }, options);
    if (body !== undefined) return body.value;
    const { value: agreed } = await this.pool.requestQuorum(
      { ...call, parse: (result) => read(true)(result) as ComparableBody<T> },
      {
        ...options,
        ...(this.#bodyAttestation ?? { quorum: 1 }),
        textOf: textOfBody,
        isSufficient: ({ text }) => text === undefined,
      },
    );
    return agreed.value;
  }

  /** @throws UpstreamError, or the reason of the signal */
  async receipts(hash: Hex, options: FindOptions = {}): Promise<readonly Receipt[]> {
    const header = await this.header(hash, options);
    if (header.transactionsRoot === emptyRoot) return [];
    const known = this.#cached.receipts(header);
    if (known !== undefined) return known;
    const receipts = await this.#blockReceipts(header, options).catch((error: unknown) => {
      if (!isCairnError(error, 'UPSTREAM_METHOD_UNSUPPORTED')) throw error;
      return this.#receiptsOneByOne(header, options);
    });
    this.#cached.addReceipts(this.cache, header, receipts);
    return receipts;
  }

  async #blockReceipts(header: Header, { signal }: ReadOptions): Promise<readonly Receipt[]> {
    const { hash, number } = header;
    return this.#body(
      {
        method: 'eth_getBlockReceipts',
        params: [hash],
        need: { kind: 'receipts', number },
        shareAs: `receipts ${hash}`,
      },
      (result, isQuorum): ComparableBody<readonly Receipt[]> | undefined => {
        if (result === null) throw notYetKnown(`block ${hash} is not known yet`);
        if (!Array.isArray(result)) throw answerInvalid('the receipts are not a list');
        if (this.#bodyAttestation !== undefined && hasUnknownType(result))
          return isQuorum ? comparableReceipts(result, header) : undefined;
        const receipts = result.map(receiptFromJson);
        verifyReceipts(header, receipts);
        return { value: receipts };
      },
      signal,
    );
  }

  /**
   * For nodes without eth_getBlockReceipts. The receipts of a block can only be verified together, so a wrong one does not show
   * which upstream lied. After a failure, one of the upstreams is avoided, until all have been.
   */
  async #receiptsOneByOne(header: Header, options: ReadOptions): Promise<readonly Receipt[]> {
    const { transactions } = await this.block(header.hash, options);
    const avoid = new Set<string>();
    for (;;) {
      const answers = await Promise.all(transactions.map(({ hash }) => this.#receipt(header, hash, avoid, options)));
      const receipts = answers.map(({ value }) => value);
      try {
        verifyReceipts(header, receipts);
        return receipts;
      } catch (error) {
        if (!isCairnError(error, 'BLOCK_CORRUPT')) throw error;
        const suspect = answers.find(({ upstream }) => !avoid.has(upstream));
        if (suspect === undefined) throw receiptsUnproven(header);
        avoid.add(suspect.upstream);
      }
    }
  }

  #receipt(header: Header, transaction: Hex, avoid: ReadonlySet<string>, { signal }: ReadOptions) {
    return this.pool.request(
      {
        method: 'eth_getTransactionReceipt',
        params: [transaction],
        need: { kind: 'receipts', number: header.number },
        avoid: new Set(avoid),
        parse: (result) =>
          verified(() => {
            if (result === null) throw notYetKnown(`the receipt of ${transaction} is not known yet`);
            return receiptFromJson(result);
          }),
      },
      { ...(signal && { signal }) },
    );
  }

  /** Headers of uncles, which full blocks name by hash only. */
  async #uncles({ hash, number, unclesHash }: Header, signal: AbortSignal | undefined): Promise<readonly Header[]> {
    if (unclesHash === emptyUncles) return [];
    const { value: count } = await this.pool.request(
      {
        method: 'eth_getBlockByHash',
        params: [hash, false],
        parse: (result) => {
          const { uncles } = objectOf(result, hash);
          // Two are the most that consensus allows (Yellow Paper, section 11.1).
          if (!Array.isArray(uncles) || uncles.length > 2)
            throw answerInvalid('the block does not have up to two uncles');
          return uncles.length;
        },
      },
      { ...(signal && { signal }) },
    );
    const answers = await Promise.all(
      Array.from({ length: count }, (_, index) =>
        this.pool.request(
          {
            method: 'eth_getUncleByBlockHashAndIndex',
            params: [hash, `0x${index.toString(16)}`],
            need: { kind: 'bodies', number },
            parse: (result) => verified(() => headerOf(result)),
          },
          { ...(signal && { signal }) },
        ),
      ),
    );
    return answers.map(({ value }) => value);
  }
}

function receiptsUnproven({ hash }: Header): ProvenChainError {
  return new ProvenChainError('RECEIPTS_UNPROVEN', `The receipts of block ${hash} do not match its header.`, {
    hint: 'Add an upstream with eth_getBlockReceipts, so that the wrong one is identified.',
  });
}

/** Root of an empty trie, and Keccak-256 of an empty list. */
const emptyRoot = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421';
const emptyUncles = '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347';

function objectOf(result: unknown, hash?: Hex): Json {
  if (result === null) throw notYetKnown(`block ${hash ?? ''} is not known yet`);
  if (typeof result !== 'object' || Array.isArray(result)) throw answerInvalid('the block is not an object');
  return result as Json;
}

function headerOf(result: unknown, hash?: Hex): Header {
  const header = headerFromJson(objectOf(result, hash));
  if (hash !== undefined && header.hash !== hash)
    throw answerInvalid(`the header has the hash ${header.hash}, not ${hash}`);
  return header;
}

/** Reports errors of decoding and verification as wrong answers of the upstream. */
function verified<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (isCairnError(error) && ['VALUE_INVALID', 'DECODE_FAILED', 'BLOCK_CORRUPT'].includes(error.code))
      throw answerInvalid(error.message.slice(0, 300));
    throw error;
  }
}
