import {
  type Block,
  type BlockTag,
  type Header,
  type Hex,
  InvalidValueError,
  parseHash,
  parseQuantity,
  type StateReader,
} from '@cairn/block-model';
import { type ParamDefinition, RpcError } from '@cairn/jsonrpc-core';
import type { RequestContext } from './request-context.ts';

/** Which block a request means (execution-apis, BlockNumberOrTagOrHash; EIP-1898). */
export type BlockId =
  | { readonly tag: BlockTag }
  | { readonly number: bigint }
  | { readonly hash: Hex; readonly requireCanonical: boolean };

const tags: readonly string[] = ['latest', 'earliest', 'pending', 'safe', 'finalized'];
const expected = 'a block number such as "0x1b4", or latest, earliest, pending, safe or finalized';

/** Reads a number or a tag. @throws VALUE_INVALID */
export function parseBlockNumberOrTag(field: string, value: unknown): BlockId {
  if (typeof value === 'string' && tags.includes(value)) return { tag: value as BlockTag };
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{1,16}$/.test(value))
    throw new InvalidValueError(field, expected, value);
  return { number: parseQuantity(field, value) };
}

/** Reads a number, a tag, a hash, or an object with `blockNumber` or `blockHash` (EIP-1898). @throws VALUE_INVALID */
export function parseBlockId(field: string, value: unknown): BlockId {
  if (typeof value === 'string' && value.length === 66)
    return { hash: parseHash(field, value), requireCanonical: false };
  if (typeof value !== 'object' || value === null) return parseBlockNumberOrTag(field, value);
  const { blockNumber, blockHash, requireCanonical = false } = value as Readonly<Record<string, unknown>>;
  if ((blockNumber === undefined) === (blockHash === undefined)) {
    throw new InvalidValueError(
      field,
      'either blockNumber or blockHash in the object',
      blockNumber === undefined ? 'neither' : 'both',
    );
  }
  if (blockNumber !== undefined) return parseBlockNumberOrTag(`${field}.blockNumber`, blockNumber);
  if (typeof requireCanonical !== 'boolean')
    throw new InvalidValueError(`${field}.requireCanonical`, 'true or false', requireCanonical);
  return { hash: parseHash(`${field}.blockHash`, blockHash), requireCanonical };
}

/** Which block, by number or tag. */
export const blockNumberParam = {
  name: 'block',
  summary: `${expected}.`,
  parse: parseBlockNumberOrTag,
} satisfies ParamDefinition<BlockId>;

/** Which block, in every way there is. */
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

/** The hash of the block meant, or `undefined` where the chain has none. */
export function findBlock({ chain: { store } }: RequestContext, id: BlockId): Hex | undefined {
  if ('tag' in id) return store.blockByTag(id.tag).hash;
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
  if (state === undefined)
    throw new RpcError('server', `the state of block ${header.number} (${header.hash}) is not kept`);
  return { header, state };
}

/** The header of the block meant. @throws RpcError in geth's words where the chain has none */
export function requireHeader(context: RequestContext, id: BlockId): Header {
  const hash = findBlock(context, id);
  const header = hash && context.chain.store.header(hash);
  if (!header) throw new RpcError('server', 'hash' in id ? 'header for hash not found' : 'header not found');
  requireCanonical(context, id);
  return header;
}
