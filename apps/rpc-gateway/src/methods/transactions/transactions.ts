import { type Hex, hexFromBytes, type Transaction, transactionToJson } from '@cairn/block-model';
import type { RawJson } from '@cairn/jsonrpc-core';
import { blockNumberParam, findBlock } from '../../block-param.ts';
import type { RequestContext } from '../../request-context.ts';
import { define } from '../define.ts';
import { immutableJson } from '../immutable-json.ts';
import { requireOpenTransaction } from '../open-account.ts';
import { blockHashParam, indexParam, transactionHashParam } from '../params.ts';

const result = 'The transaction, or null where there is none.';

/** The transaction at a place in a block, or `null` where there is none. */
export function transactionAt(context: RequestContext, hash: Hex | undefined, index: number): RawJson | null {
  if (hash === undefined) return null;
  requireOpenAt(context, hash, index);
  return immutableJson(context, `transaction/${hash}/${index}`, () => {
    const block = context.chain.store.block(hash);
    const transaction = block?.transactions[index];
    return block && transaction && transactionToJson(transaction, { header: block.header, index });
  });
}

export const ethGetTransactionByHash = define({
  name: 'eth_getTransactionByHash',
  summary: 'The transaction of a hash, with its place in the chain.',
  params: [transactionHashParam],
  result,
  cost: 2,
  reveals: 'transaction',
  handle([hash], context) {
    const place = context.chain.store.transactionPlace(hash);
    return place ? transactionAt(context, place.blockHash, place.index) : null;
  },
});

export const ethGetTransactionByBlockHashAndIndex = define({
  name: 'eth_getTransactionByBlockHashAndIndex',
  summary: 'The transaction at a place in a block.',
  params: [blockHashParam, indexParam],
  result,
  reveals: 'transaction',
  handle: ([hash, index], context) => transactionAt(context, hash, index),
});

export const ethGetTransactionByBlockNumberAndIndex = define({
  name: 'eth_getTransactionByBlockNumberAndIndex',
  summary: 'The transaction at a place in a block.',
  params: [blockNumberParam, indexParam],
  result,
  reveals: 'transaction',
  handle: ([id, index], context) => transactionAt(context, findBlock(context, id), index),
});

function rawAt(context: RequestContext, hash: Hex | undefined, index: number): Hex {
  if (hash === undefined) return rawBytes(undefined);
  requireOpenAt(context, hash, index);
  return rawBytes(context.chain.store.block(hash)?.transactions[index]);
}

/** @throws KEY_SCOPE_MISSING for a transaction that the key may not read */
function requireOpenAt({ chain: { store }, principal }: RequestContext, hash: Hex, index: number): void {
  const { policy } = principal.key;
  // Only then is the block read before a cache is asked.
  const transaction = policy.contracts && store.block(hash)?.transactions[index];
  if (transaction !== undefined) requireOpenTransaction(policy, transaction);
}

/** The bytes of a transaction as it was sent (EIP-2718). */
export function rawBytes(transaction: Transaction | undefined): Hex {
  return transaction === undefined ? '0x' : hexFromBytes(transaction.raw);
}

const rawResult = 'Its bytes (EIP-2718), "0x" where there is none.';

export const ethGetRawTransactionByHash = define({
  name: 'eth_getRawTransactionByHash',
  summary: 'The transaction of a hash as it was sent.',
  params: [transactionHashParam],
  result: rawResult,
  cost: 2,
  reveals: 'transaction',
  handle([hash], context) {
    const place = context.chain.store.transactionPlace(hash);
    return place ? rawAt(context, place.blockHash, place.index) : '0x';
  },
});

export const ethGetRawTransactionByBlockHashAndIndex = define({
  name: 'eth_getRawTransactionByBlockHashAndIndex',
  summary: 'The transaction at a place in a block, as it was sent.',
  params: [blockHashParam, indexParam],
  result: rawResult,
  reveals: 'transaction',
  handle: ([hash, index], context) => rawAt(context, hash, index),
});

export const ethGetRawTransactionByBlockNumberAndIndex = define({
  name: 'eth_getRawTransactionByBlockNumberAndIndex',
  summary: 'The transaction at a place in a block, as it was sent.',
  params: [blockNumberParam, indexParam],
  result: rawResult,
  reveals: 'transaction',
  handle: ([id, index], context) => rawAt(context, findBlock(context, id), index),
});
