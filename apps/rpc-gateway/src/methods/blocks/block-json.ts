import {
  blockToJson,
  cannotUnmarshal,
  type Hex,
  headerToJson,
  InvalidValueError,
  type Json,
  jsonKind,
} from '@cairn/block-model';
import type { ParamDefinition, RawJson } from '@cairn/jsonrpc-core';
import { paramSchemas } from '../../param-schemas.ts';
import type { RequestContext } from '../../request-context.ts';
import { immutableJson } from '../immutable-json.ts';

/** Parameter: transactions of a block as objects or as hashes. */
export const fullParam = {
  name: 'full',
  summary: 'true for transaction objects; false or null for hashes.',
  schema: paramSchemas.flag,
  parse(field: string, value: unknown): boolean {
    if (typeof value === 'boolean') return value;
    if (value === null) return false;
    throw new InvalidValueError(
      field,
      'true for transaction objects or false for hashes',
      value,
      cannotUnmarshal(jsonKind(value), 'bool'),
    );
  },
} satisfies ParamDefinition<boolean>;

/** Transaction objects can show any contract, hashes show none. */
export const blockReveals = {
  contracts: ([, full]: readonly [unknown, boolean]) => (full ? ('anything' as const) : []),
  note: 'allowed with transaction hashes, refused with transaction objects.',
};

/** Serializes the block of a hash; `null` if the chain has no such block. */
export function blockJson(context: RequestContext, hash: Hex, full: boolean): RawJson | null {
  const { reader } = context.chain;
  return immutableJson(context, `block/${hash}/${full}`, () => {
    const block = reader.block(hash);
    const receipts = full && block?.transactions[0]?.deposit !== undefined ? reader.receipts(hash) : undefined;
    return block && blockToJson(block, { full, totalDifficulty: reader.totalDifficulty(hash), receipts });
  });
}

/** Serializes the header of a hash; `null` if the chain has no such block. */
export function headerJson({ chain: { reader } }: RequestContext, hash: Hex): Json | null {
  const header = reader.header(hash);
  return header === undefined ? null : headerToJson(header);
}
