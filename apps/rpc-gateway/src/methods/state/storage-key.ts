import { bytesFromHex, InvalidValueError } from '@cairn/block-model';
import { RpcError } from '@cairn/jsonrpc-core';

/** A slot of a contract's storage. */
export interface StorageKey {
  /** 32 bytes. */
  readonly bytes: Uint8Array;
  /** As answers repeat it: whole where it was given whole, else as a quantity, as geth does. */
  readonly text: string;
}

/** Reads a slot: hexadecimal, of 32 bytes at most, with leading zeros or without. @throws VALUE_INVALID, RpcError -32602 */
export function parseStorageKey(field: string, value: unknown): StorageKey {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]*$/.test(value))
    throw new InvalidValueError(field, 'a slot of storage in hexadecimal, such as "0x0"', value);
  const digits = value.slice(2).toLowerCase();
  if (digits.length > 64)
    throw new RpcError(
      'params',
      `storage key too long (want at most 32 bytes): ${JSON.stringify(value.slice(0, 100))}`,
    );
  const text = digits.length === 64 ? `0x${digits}` : `0x${digits.replace(/^0+(?=.)/, '') || '0'}`;
  return { bytes: bytesFromHex(`0x${digits.padStart(64, '0')}`), text };
}
