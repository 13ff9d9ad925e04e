import { bytesFromHex, type Hex, parseUint64, senderOf } from '@cairn/block-model';
import type { Chain } from '../../chains/chain.ts';
import { paramSchemas } from '../../param-schemas.ts';
import { define } from '../define.ts';
import { addressParam } from '../params.ts';
import { transactionAt } from './transactions.ts';

export const ethGetTransactionBySenderAndNonce = define({
  name: 'eth_getTransactionBySenderAndNonce',
  summary:
    'Returns the transaction of a sender with a nonce, in the format of reth. geth 1.17 does not have this method.',
  params: [
    addressParam,
    {
      name: 'nonce',
      summary: 'the nonce of the transaction, a quantity.',
      schema: paramSchemas.quantity,
      parse: parseUint64Param,
    },
  ],
  result: 'The transaction, or null if there is none.',
  cost: 20,
  reveals: 'transaction',
  handle([address, nonce], context) {
    const { reader } = context.chain;
    const hash = blockOfNonce(context.chain, bytesFromHex(address), nonce);
    const transactions = (hash && reader.block(hash)?.transactions) ?? [];
    const index = transactions.findIndex(
      (transaction) => transaction.nonce === nonce && senderOf(transaction) === address,
    );
    return index === -1 ? null : transactionAt(context, hash, index);
  },
});

function parseUint64Param(field: string, value: unknown): bigint {
  return parseUint64(field, value);
}

/** Finds the first block after which the nonce of an account is higher, by bisection: 25 lookups in 30 million blocks. */
function blockOfNonce({ reader, state }: Chain, address: Uint8Array, nonce: bigint): Hex | undefined {
  const isAbove = (height: bigint) => {
    const hash = reader.hashByNumber(height);
    return ((hash && state.stateAt(hash)?.getAccount(address)?.nonce) ?? 0n) > nonce;
  };
  let [low, high] = [0n, reader.head.number];
  if (!isAbove(high)) return undefined;
  while (low < high) {
    const middle = (low + high) / 2n;
    if (isAbove(middle)) high = middle;
    else low = middle + 1n;
  }
  return reader.hashByNumber(low);
}
