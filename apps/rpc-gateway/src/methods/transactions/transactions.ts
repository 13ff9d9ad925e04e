import { type Hex, hexFromBytes, type Json, type Transaction, transactionToJson } from '@cairn/block-model';
import { type RawJson, RpcError } from '@cairn/jsonrpc-core';
import { blockNumberParam } from '../../block-id.ts';
import type { RequestContext } from '../../request-context.ts';
import { findBlock } from '../../resolve-block.ts';
import type { SentTransactions } from '../../sending/sent-transactions.ts';
import { define } from '../define.ts';
import { immutableJson } from '../immutable-json.ts';
import { requireOpenTransaction } from '../open-account.ts';
import { blockHashParam, indexParam, transactionHashParam } from '../params.ts';

const result = 'The transaction, or null if there is none.';

/** Serializes the transaction at an index of a block; `null` if there is none. */
export function transactionAt(context: RequestContext, hash: Hex | undefined, index: number): RawJson | null {
  if (hash === undefined) return null;
  requireOpenAt(context, hash, index);
  return immutableJson(context, `transaction/${hash}/${index}`, () => {
    const block = context.chain.reader.block(hash);
    const transaction = block?.transactions[index];
    const receipt = transaction?.deposit && context.chain.reader.receipts(hash)?.[index];
    return block && transaction && transactionToJson(transaction, { header: block.header, index, receipt });
  });
}

export const ethGetTransactionByHash = (sent: SentTransactions) =>
  define({
    name: 'eth_getTransactionByHash',
    summary:
      'Returns a transaction by hash, with its position in the chain. A transaction that this process sent in the last hour is returned without a position until it is mined.',
    params: [transactionHashParam],
    result,
    cost: 2,
    reveals: 'transaction',
    handle([hash], context) {
      const place = context.chain.reader.transactionPlace(hash);
      return place ? transactionAt(context, place.blockHash, place.index) : pendingTransaction(context, sent, hash);
    },
  });

function pendingTransaction({ chain, principal }: RequestContext, sent: SentTransactions, hash: Hex): Json | null {
  const transaction = sent.get(chain, hash);
  if (transaction === undefined) return null;
  requireOpenTransaction(principal.key.policy, transaction);
  return transactionToJson(transaction);
}

export const ethGetTransactionByBlockHashAndIndex = define({
  name: 'eth_getTransactionByBlockHashAndIndex',
  summary: 'Returns a transaction by its index in a block.',
  params: [blockHashParam, indexParam],
  result,
  reveals: 'transaction',
  handle: ([hash, index], context) => transactionAt(context, hash, index),
});

export const ethGetTransactionByBlockNumberAndIndex = define({
  name: 'eth_getTransactionByBlockNumberAndIndex',
  summary: 'Returns a transaction by its index in a block.',
  params: [blockNumberParam, indexParam],
  result,
  reveals: 'transaction',
  handle: ([id, index], context) => transactionAt(context, findBlock(context, id), index),
});

function rawAt(context: RequestContext, hash: Hex | undefined, index: number): Hex {
  if (hash === undefined) return rawBytes(undefined);
  requireOpenAt(context, hash, index);
  return rawBytes(context.chain.reader.block(hash)?.transactions[index]);
}

/** Checks that the key may read a transaction. @throws KEY_SCOPE_MISSING */
function requireOpenAt({ chain: { reader }, principal }: RequestContext, hash: Hex, index: number): void {
  const { policy } = principal.key;
  // Reads the block before any cache, but only for keys that are limited to contracts.
  const transaction = policy.contracts && reader.block(hash)?.transactions[index];
  if (transaction !== undefined) requireOpenTransaction(policy, transaction);
}

/** Error for bytes of transaction types of no known format. */
export function unknownEncoding(): RpcError {
  return new RpcError('server', 'The encoding of a transaction type in this block is unknown. Read the block as JSON.');
}

/** The encoded transaction (EIP-2718); `0x` for none. @throws RpcError for a type of no known format */
export function rawBytes(transaction: Transaction | undefined): Hex {
  if (transaction?.given !== undefined && transaction.raw.length === 0) throw unknownEncoding();
  return transaction === undefined ? '0x' : hexFromBytes(transaction.raw);
}

const rawResult = 'The bytes of the transaction (EIP-2718); "0x" if there is none.';

export const ethGetRawTransactionByHash = define({
  name: 'eth_getRawTransactionByHash',
  summary: 'Returns an encoded transaction by hash.',
  params: [transactionHashParam],
  result: rawResult,
  cost: 2,
  reveals: 'transaction',
  handle([hash], context) {
    const place = context.chain.reader.transactionPlace(hash);
    return place ? rawAt(context, place.blockHash, place.index) : '0x';
  },
});

export const ethGetRawTransactionByBlockHashAndIndex = define({
  name: 'eth_getRawTransactionByBlockHashAndIndex',
  summary: 'Returns an encoded transaction by its index in a block.',
  params: [blockHashParam, indexParam],
  result: rawResult,
  reveals: 'transaction',
  handle: ([hash, index], context) => rawAt(context, hash, index),
});

export const ethGetRawTransactionByBlockNumberAndIndex = define({
  name: 'eth_getRawTransactionByBlockNumberAndIndex',
  summary: 'Returns an encoded transaction by its index in a block.',
  params: [blockNumberParam, indexParam],
  result: rawResult,
  reveals: 'transaction',
  handle: ([id, index], context) => rawAt(context, findBlock(context, id), index),
});
