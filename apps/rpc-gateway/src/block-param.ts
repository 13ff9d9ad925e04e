import {
  type Block,
  type BlockTag,
  cannotUnmarshal,
  dataFault,
  type Header,
  type Hex,
  InvalidValueError,
  jsonKind,
  numberFault,
  parseHash,
  parseWithReason,
  type StateReader,
} from '@cairn/block-model';
import { type ParamDefinition, RpcError } from '@cairn/jsonrpc-core';
import type { RequestContext } from './request-context.ts';

/** The block that a request means (execution-apis, BlockNumberOrTagOrHash; EIP-1898). */
export type BlockId =
  | { readonly tag: BlockTag }
  | { readonly number: bigint }
  | { readonly hash: Hex; readonly requireCanonical: boolean };

const tags: ReadonlySet<unknown> = new Set<BlockTag>(['latest', 'earliest', 'pending', 'safe', 'finalized']);
const expected = 'a block number such as "0x1b4", or latest, earliest, pending, safe or finalized';
/** geth reads heights into 64 bits with a sign. */
const numberMax = 2n ** 63n - 1n;

function isTag(value: unknown): value is BlockTag {
  return tags.has(value);
}

function parseHeight(field: string, value: unknown, tooHigh: string): BlockId {
  const fault = typeof value === 'string' ? heightFault(value) : 'hex string without 0x prefix';
  if (fault !== undefined) throw new InvalidValueError(field, expected, value, fault);
  const number = BigInt(String(value).toLowerCase());
  if (number > numberMax) throw new InvalidValueError(field, 'a block number of 63 bits at most', value, tooHigh);
  return { number };
}

/** The fault of a height: a wrong digit among the first 17 is found before the length. */
function heightFault(value: string): string | undefined {
  const fault = numberFault(value);
  return fault?.startsWith('hex number >') && /[^0-9a-fA-F]/.test(value.slice(2, 19)) ? 'invalid hex string' : fault;
}

/** Reads a number or a tag. @throws VALUE_INVALID */
export function parseBlockNumberOrTag(field: string, value: unknown): BlockId {
  return isTag(value) ? { tag: value } : parseHeight(field, value, 'block number larger than int64');
}

/** Reads a number, a tag, a hash, or an object with `blockNumber` or `blockHash` (EIP-1898). @throws VALUE_INVALID */
export function parseBlockId(field: string, value: unknown): BlockId {
  if (isTag(value)) return { tag: value };
  if (typeof value === 'string' && value.length === 66) {
    const fault = dataFault(value);
    if (fault !== undefined) throw new InvalidValueError(field, `${expected}, or a block hash`, value, fault);
    return { hash: parseHash(field, value), requireCanonical: false };
  }
  if (typeof value === 'string') return parseHeight(field, value, 'blocknumber too high');
  if (typeof value === 'object' && !Array.isArray(value)) return parseBlockObject(field, value ?? {});
  throw new InvalidValueError(field, `${expected}, or a block hash`, value, notText(value));
}

function parseBlockObject(field: string, value: object): BlockId {
  const { blockNumber, blockHash, requireCanonical } = value as Readonly<Record<string, unknown>>;
  const isGiven = (item: unknown) => item !== undefined && item !== null;
  // Where a member is bad, geth tries to read the whole as a text, and reports that.
  const member = <T>(parse: () => T) => parseWithReason(parse, () => notText(value));
  const canonical = member(() => parseFlag(`${field}.requireCanonical`, requireCanonical ?? false));
  const number = isGiven(blockNumber)
    ? member(() => parseBlockNumberOrTag(`${field}.blockNumber`, blockNumber))
    : undefined;
  const hash = isGiven(blockHash) ? member(() => parseHash(`${field}.blockHash`, blockHash)) : undefined;
  if (number !== undefined && hash === undefined) return number;
  if (hash !== undefined && number === undefined) return { hash, requireCanonical: canonical };
  throw number === undefined
    ? new InvalidValueError(field, oneOfTwo, 'neither', 'must specify either BlockHash or BlockNumber')
    : new InvalidValueError(
        field,
        oneOfTwo,
        'both',
        'cannot specify both BlockHash and BlockNumber, choose one or the other',
      );
}

const oneOfTwo = 'either blockNumber or blockHash in the object';

/** The fault of a value that geth tries to read as a text in the end. */
function notText(value: unknown): string {
  return cannotUnmarshal(jsonKind(value), 'string');
}

function parseFlag(field: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw new InvalidValueError(field, 'true or false', value, cannotUnmarshal(jsonKind(value), 'bool'));
}

/** A block, by number or tag. */
export const blockNumberParam = {
  name: 'block',
  summary: `${expected}.`,
  parse: parseBlockNumberOrTag,
} satisfies ParamDefinition<BlockId>;

/** A block, in every way there is. */
export const blockIdParam = {
  name: 'block',
  summary: `${expected}, or a block hash.`,
  parse: parseBlockId,
} satisfies ParamDefinition<BlockId>;

/** As {@link blockIdParam}; the newest block when it is left out. */
export const optionalBlockIdParam = {
  ...blockIdParam,
  summary: `${blockIdParam.summary} Default: latest.`,
  isRequired: false,
} satisfies ParamDefinition<BlockId>;

/** Whether the block that follows the head is meant. It has no hash and is in no store: `pending-block.ts` makes it. */
export function isPending(id: BlockId): boolean {
  return 'tag' in id && id.tag === 'pending';
}

/** The hash of the block meant, or `undefined` where the chain has none, which is so for the pending block. */
export function findBlock({ chain: { store } }: RequestContext, id: BlockId): Hex | undefined {
  if ('tag' in id) return id.tag === 'pending' ? undefined : store.blockByTag(id.tag).hash;
  if ('number' in id) return store.hashByNumber(id.number);
  return store.header(id.hash)?.hash;
}

/** The block meant, or `undefined` where the chain has none. @throws RpcError for a hash that is not canonical and has to be */
export function findWholeBlock(context: RequestContext, id: BlockId): Block | undefined {
  const hash = findBlock(context, id);
  if (hash === undefined) return undefined;
  requireCanonical(context, id);
  return context.chain.store.block(hash);
}

function requireCanonical(context: RequestContext, id: BlockId): void {
  if ('hash' in id && id.requireCanonical && !context.chain.store.isCanonical(id.hash))
    throw new RpcError('server', 'hash is not currently canonical');
}

/** The state after the block meant. @throws RpcError in geth's words where there is no such block, or its state is gone */
export function requireState(
  context: RequestContext,
  id: BlockId = { tag: 'latest' },
): { readonly header: Header; readonly state: StateReader } {
  const header = requireHeader(context, id);
  const state = context.chain.store.stateAt(header.hash);
  if (state === undefined) throw stateUnavailable(header);
  return { header, state };
}

/** The error of a state that is not kept, in geth's words. */
export function stateUnavailable({ hash, number, stateRoot }: Header): RpcError {
  const root = stateRoot.slice(2);
  return new RpcError(
    'server',
    `historical state ${root} is not available. The state after block ${number} (${hash}) is not kept.`,
  );
}

/**
 * The header of the block meant; of the head for the pending block, which changes no account.
 * @throws RpcError in geth's words where the chain has none
 */
export function requireHeader(context: RequestContext, id: BlockId): Header {
  const { store } = context.chain;
  const hash = findBlock(context, isPending(id) ? { tag: 'latest' } : id);
  const header = hash && store.header(hash);
  if (!header)
    throw new RpcError(
      'server',
      'hash' in id
        ? `header for hash not found. This chain has no block ${id.hash}.`
        : `header not found. The newest block is ${store.head.number}.`,
    );
  requireCanonical(context, id);
  return header;
}
