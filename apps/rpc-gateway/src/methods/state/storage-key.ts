import { bytesFromHex } from '@cairn/block-model';
import { RpcError } from '@cairn/jsonrpc-core';

/** A slot of a contract's storage. */
export interface StorageKey {
  /** 32 bytes. */
  readonly bytes: Uint8Array;
  /** The form that answers repeat: 32 bytes where 32 were given, else a quantity, as in geth. */
  readonly text: string;
}

const digitsMax = 64;
const shownMax = 100;

/**
 * Reads a slot as geth does: hexadecimal, of 32 bytes at most, with leading zeros or without, with `0x` or without. The empty
 * text is slot 0.
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
