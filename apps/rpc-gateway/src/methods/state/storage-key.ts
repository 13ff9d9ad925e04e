import { bytesFromHex } from '@cairn/block-model';
import { RpcError } from '@cairn/jsonrpc-core';

/** A storage slot of a contract. */
export interface StorageKey {
  /** 32 bytes. */
  readonly bytes: Uint8Array;
  /** Form in results, as in geth: 32 bytes if the request gave 32, else a quantity. */
  readonly text: string;
}

const digitsMax = 64;
const shownMax = 100;

/**
 * Parses a slot as geth does: up to 32 bytes in hexadecimal, leading zeros and `0x` optional. The empty string is slot 0.
 * @throws RpcError -32602
 */
export function decodeStorageKey(value: string): StorageKey {
  const plain = value.replace(/^0[xX]/, '');
  const digits = plain.length % 2 === 0 ? plain : `0${plain}`;
  const shown = JSON.stringify(value.slice(0, shownMax));
  if (digits.length > digitsMax) throw new RpcError('params', `storage key too long (want at most 32 bytes): ${shown}`);
  if (!/^[0-9a-fA-F]*$/.test(digits))
    throw new RpcError('params', `invalid hex in storage key: ${shown}. Give a slot such as "0x0".`);
  const whole = digits.toLowerCase().padStart(digitsMax, '0');
  const text = digits.length === digitsMax ? `0x${whole}` : `0x${whole.replace(/^0+(?=.)/, '')}`;
  return { bytes: bytesFromHex(`0x${whole}`), text };
}
