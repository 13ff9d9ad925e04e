import { keccak256 } from '@cairn/cid';
import { bytesFromHex, type Hex, hexFromBytes } from '../hex.ts';
import type { StateReader } from '../readers.ts';

/** An account of {@link createMemoryState}. */
export interface MemoryAccount {
  readonly nonce?: bigint;
  readonly balance?: bigint;
  readonly code?: Hex;
  /** Values by slot, both 32 bytes. */
  readonly storage?: Readonly<Record<Hex, Hex>>;
}

/** Creates a state from accounts by address in lower case. */
export function createMemoryState(accounts: Readonly<Record<Hex, MemoryAccount>>): StateReader {
  const codes = new Map<string, Uint8Array>();
  const emptyCodeHash = keccak256(new Uint8Array(0));
  const states = new Map(
    Object.entries(accounts).map(([address, { nonce = 0n, balance = 0n, code, storage = {} }]) => {
      const bytes = code === undefined ? undefined : bytesFromHex(code);
      const codeHash = bytes === undefined ? emptyCodeHash : keccak256(bytes);
      if (bytes) codes.set(hexFromBytes(codeHash), bytes);
      return [address, { account: { nonce, balance, codeHash }, storage }] as const;
    }),
  );
  return {
    getAccount: (address) => states.get(hexFromBytes(address))?.account,
    getCode: (codeHash) => codes.get(hexFromBytes(codeHash)) ?? new Uint8Array(0),
    getStorage(address, slot) {
      const value = states.get(hexFromBytes(address))?.storage[hexFromBytes(slot)];
      return bytesFromHex((value ?? '0x').replace(/^0x(00)*/, '0x'));
    },
  };
}
