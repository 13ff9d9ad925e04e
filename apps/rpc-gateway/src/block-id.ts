import {
  type BlockTag,
  cannotUnmarshal,
  dataFault,
  type Hex,
  InvalidValueError,
  jsonKind,
  numberFault,
  parseHash,
  parseWithReason,
} from '@cairn/block-model';
import type { ParamDefinition } from '@cairn/jsonrpc-core';
import { paramSchemas } from './param-schemas.ts';

/** Names a block in a request (execution-apis, BlockNumberOrTagOrHash; EIP-1898). */
export type BlockId =
  | { readonly tag: BlockTag }
  | { readonly number: bigint }
  | { readonly hash: Hex; readonly requireCanonical: boolean };

const tags: ReadonlySet<unknown> = new Set<BlockTag>(['latest', 'earliest', 'pending', 'safe', 'finalized']);
const expected = 'a block number such as "0x1b4", or latest, earliest, pending, safe or finalized';
/** Highest block number: geth reads heights as signed 64-bit integers. */
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

/** Describes an invalid height in geth's words. geth reports a wrong digit among the first 17 before it checks the length. */
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
  // If a member is invalid, geth tries to read the whole value as a string and reports that error.
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

/** geth's error for a value that it finally tries to read as a string. */
function notText(value: unknown): string {
  return cannotUnmarshal(jsonKind(value), 'string');
}

function parseFlag(field: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw new InvalidValueError(field, 'true or false', value, cannotUnmarshal(jsonKind(value), 'bool'));
}

/** Parameter that names a block by number or tag. */
export const blockNumberParam = {
  name: 'block',
  summary: `${expected}.`,
  schema: paramSchemas.blockNumber,
  parse: parseBlockNumberOrTag,
} satisfies ParamDefinition<BlockId>;

/** Parameter that names a block by number, tag or hash. */
export const blockIdParam = {
  name: 'block',
  summary: `${expected}, or a block hash.`,
  schema: paramSchemas.block,
  parse: parseBlockId,
} satisfies ParamDefinition<BlockId>;

/** Like {@link blockIdParam}, with the newest block as default. */
export const optionalBlockIdParam = {
  ...blockIdParam,
  summary: `${blockIdParam.summary} Default: latest.`,
  isRequired: false,
} satisfies ParamDefinition<BlockId>;

/** Reports whether the id names the pending block, which has no hash and is in no store: `pending-block.ts` builds it. */
export function isPending(id: BlockId): boolean {
  return 'tag' in id && id.tag === 'pending';
}
