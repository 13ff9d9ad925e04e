import { blockToJson, type Hex, InvalidValueError } from '@cairn/block-model';
import type { ParamDefinition, RawJson } from '@cairn/jsonrpc-core';
import type { RequestContext } from '../../request-context.ts';
import { immutableJson } from '../immutable-json.ts';

/** Whether transactions come as objects or as hashes. */
export const fullParam = {
  name: 'full',
  summary: 'true for whole transactions, false for their hashes.',
  parse(field: string, value: unknown): boolean {
    if (typeof value === 'boolean') return value;
    throw new InvalidValueError(field, 'true for whole transactions or false for their hashes', value);
  },
} satisfies ParamDefinition<boolean>;

/** A block as JSON-RPC returns it, or `null` where the chain has none of that hash. */
export function blockJson(context: RequestContext, hash: Hex, full: boolean): RawJson | null {
  const { store } = context.chain;
  return immutableJson(context, `block/${hash}/${full}`, () => {
    const block = store.block(hash);
    return block && blockToJson(block, { full, totalDifficulty: store.totalDifficulty(hash) });
  });
}
