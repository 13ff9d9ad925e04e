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
import { pendingBlockJson } from '../../chains/pending-block.ts';
import type { RequestContext } from '../../request-context.ts';
import { immutableJson } from '../immutable-json.ts';

/** The form of transactions in a block: objects or hashes. */
export const fullParam = {
  name: 'full',
  summary: 'true for whole transactions, false or null for their hashes.',
  parse(field: string, value: unknown): boolean {
    if (typeof value === 'boolean') return value;
    if (value === null) return false;
    throw new InvalidValueError(
      field,
      'true for whole transactions or false for their hashes',
      value,
      cannotUnmarshal(jsonKind(value), 'bool'),
    );
  },
} satisfies ParamDefinition<boolean>;

/** Whole transactions show any contract; their hashes show none. */
export const blockReveals = {
  contracts: ([, full]: readonly [unknown, boolean]) => (full ? ('anything' as const) : []),
  note: 'open with hashes of transactions, refused with whole transactions.',
};

/** A block as JSON-RPC returns it, or `null` where the chain has none of that hash. */
export function blockJson(context: RequestContext, hash: Hex, full: boolean): RawJson | null {
  const { store } = context.chain;
  return immutableJson(context, `block/${hash}/${full}`, () => {
    const block = store.block(hash);
    return block && blockToJson(block, { full, totalDifficulty: store.totalDifficulty(hash) });
  });
}

/** A header as JSON-RPC returns it, or `null` where the chain has none of that hash. */
export function headerJson({ chain: { store } }: RequestContext, hash: Hex): Json | null {
  const header = store.header(hash);
  return header === undefined ? null : headerToJson(header);
}

/** The header of the pending block. */
export async function pendingHeaderJson(context: RequestContext): Promise<Json> {
  const { size: _, transactions: __, uncles: ___, withdrawals: ____, ...header } = await pendingBlockJson(context);
  return header;
}
