import { paramSchemas } from '../../param-schemas.ts';
import { parseRawTransaction } from '../../sending/raw-transaction.ts';
import type { TransactionSender } from '../../sending/transaction-sender.ts';
import { define } from '../define.ts';
import { workerTimeSurcharge } from '../execution/call-executor.ts';

/** Parameter: a signed transaction. */
export const rawTransactionParam = {
  name: 'transaction',
  summary:
    'a signed transaction, encoded (EIP-2718). A blob transaction has its network form, with sidecar (EIP-4844, EIP-7594).',
  schema: paramSchemas.bytes,
  parse: parseRawTransaction,
};

/** Price of the proofs of a blob transaction, for the documentation. */
export const blobSurcharge = `for blobs ${workerTimeSurcharge.replace(/^and /, '')}`;

export const ethSendRawTransaction = (sender: TransactionSender) =>
  define({
    name: 'eth_sendRawTransaction',
    summary:
      'Checks a signed transaction with the rules and error texts of geth, and sends it to all upstreams of the network. Returns when one accepts it or has it already, so that sending again is safe. Networks without upstreams return -32601. If no upstream accepts it, the data of the error has the reason of each. If it may have reached one, the error is -32010 with the hash.',
    params: [rawTransactionParam],
    result: 'The hash of the transaction.',
    errors: ['method', 'server', 'sendUncertain'],
    cost: 50,
    surcharge: blobSurcharge,
    grant: 'send',
    reveals: { contracts: ([{ transaction }]) => [transaction.to ?? undefined] },
    handle: ([transaction], context) => sender.send(context, 'eth_sendRawTransaction', transaction),
  });
