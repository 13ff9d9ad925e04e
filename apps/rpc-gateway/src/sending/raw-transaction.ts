import { bytesFromHex, decodePooledTransaction, type Hex, type PooledTransaction, parseData } from '@cairn/block-model';
import { isCairnError } from '@cairn/errors';
import { PooledRejectedError, pooledLimits } from '@cairn/evm-executor';
import { RpcError } from '@cairn/jsonrpc-core';

/** A decoded transaction, with the bytes that were sent. */
export interface RawTransaction extends PooledTransaction {
  readonly raw: Hex;
  /** Length of `raw` in bytes. */
  readonly bytes: number;
}

const blobType = 3;

/**
 * Parses the parameter of eth_sendRawTransaction.
 * @throws VALUE_INVALID for other values than bytes, POOLED_TOO_LARGE, RpcError -32000 for bytes that encode no transaction
 */
export function parseRawTransaction(field: string, value: unknown): RawTransaction {
  const raw = parseData(field, value);
  const encoded = bytesFromHex(raw);
  const { blobTransactionBytesMax, transactionBytesMax } = pooledLimits;
  // Decoding takes time for each list entry, so the length is checked before.
  requireBytes(encoded.length, encoded[0] === blobType ? blobTransactionBytesMax : transactionBytesMax);
  const pooled = decode(encoded);
  return { ...pooled, raw, bytes: encoded.length };
}

function requireBytes(bytes: number, limit: number): void {
  if (bytes <= limit) return;
  throw new PooledRejectedError(
    'POOLED_TOO_LARGE',
    `oversized data: transaction size ${bytes}, limit ${limit}`,
    'Split it into several transactions.',
  );
}

function decode(encoded: Uint8Array): PooledTransaction {
  try {
    return decodePooledTransaction(encoded);
  } catch (error) {
    if (!isCairnError(error, 'DECODE_FAILED')) throw error;
    const { what, reason } = error.details;
    // geth has the reason alone for the envelope, and a text of its RLP decoder for fields.
    const text = what === 'transaction' ? reason : `rlp: ${what}: ${reason}`;
    throw new RpcError('server', `${text}. The parameter must be a signed, encoded transaction (EIP-2718).`);
  }
}
