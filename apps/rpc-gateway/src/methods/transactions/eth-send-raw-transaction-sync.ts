import { cannotUnmarshal, InvalidValueError, jsonKind } from '@cairn/block-model';
import { paramSchemas } from '../../param-schemas.ts';
import type { TransactionSender } from '../../sending/transaction-sender.ts';
import { ReceiptWait } from '../../sending/wait-for-receipt.ts';
import { define } from '../define.ts';
import { blobSurcharge, rawTransactionParam } from './eth-send-raw-transaction.ts';

export const ethSendRawTransactionSync = (sender: TransactionSender) =>
  define({
    name: 'eth_sendRawTransactionSync',
    summary:
      'Sends a signed transaction like eth_sendRawTransaction, and waits for its receipt (EIP-7966). If it is not mined in time, the error has code 4 and the hash as data; the transaction may still be mined.',
    params: [
      rawTransactionParam,
      {
        name: 'timeout',
        summary: 'milliseconds to wait, a number: 20000 by default and for 0, at most 60000.',
        schema: paramSchemas.count,
        isRequired: false,
        parse: parseTimeout,
      },
    ],
    result: 'The receipt of the transaction.',
    errors: ['method', 'server', 'sendUncertain', 'syncTimeout'],
    cost: 100,
    surcharge: blobSurcharge,
    grant: 'send',
    reveals: 'anything',
    async handle([transaction, timeoutMs], context) {
      const wait = new ReceiptWait(context, transaction.transaction.hash);
      try {
        await sender.send(context, 'eth_sendRawTransactionSync', transaction);
        return await wait.receipt(timeoutMs ?? 0);
      } finally {
        wait.end();
      }
    },
  });

function parseTimeout(field: string, value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  const kind = typeof value === 'number' ? `number ${value}` : jsonKind(value);
  throw new InvalidValueError(field, 'a number of milliseconds', value, cannotUnmarshal(kind, 'uint64'));
}
