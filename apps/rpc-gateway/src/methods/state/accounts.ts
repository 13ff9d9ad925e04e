import { bytesFromHex, type Hex, hexFromBytes, InvalidValueError, parseAddress, quantity } from '@cairn/block-model';
import { RpcError } from '@cairn/jsonrpc-core';
import { optionalBlockIdParam, requireState } from '../../block-param.ts';
import { define } from '../define.ts';
import { addressParam, parseList } from '../params.ts';
import { parseStorageKey, type StorageKey } from './storage-key.ts';

/** Slots of one request at most, as in geth. */
const slotsMax = 1024;

/** A value of storage: always 32 bytes. */
function slotValue(value: Uint8Array): Hex {
  return `0x${Buffer.from(value).toString('hex').padStart(64, '0')}`;
}

export const ethGetBalance = define({
  name: 'eth_getBalance',
  summary: 'The balance of an account after a block, in wei.',
  params: [addressParam, optionalBlockIdParam],
  result: 'A quantity.',
  handle([address, id], context) {
    const { state } = requireState(context, id);
    return quantity(state.getAccount(bytesFromHex(address))?.balance ?? 0n);
  },
});

export const ethGetTransactionCount = define({
  name: 'eth_getTransactionCount',
  summary: 'The nonce of an account after a block: the number of transactions that it has sent.',
  params: [addressParam, optionalBlockIdParam],
  result: 'A quantity.',
  handle([address, id], context) {
    const { state } = requireState(context, id);
    return quantity(state.getAccount(bytesFromHex(address))?.nonce ?? 0n);
  },
});

export const ethGetCode = define({
  name: 'eth_getCode',
  summary: 'The code of an account after a block, held to its hash.',
  params: [addressParam, optionalBlockIdParam],
  result: 'Its bytes, "0x" for none.',
  cost: 2,
  handle([address, id], context) {
    const { state } = requireState(context, id);
    const account = state.getAccount(bytesFromHex(address));
    return account ? hexFromBytes(state.getCode(account.codeHash)) : '0x';
  },
});

export const ethGetStorageAt = define({
  name: 'eth_getStorageAt',
  summary: 'The value at a slot of the storage of a contract after a block.',
  params: [
    addressParam,
    { name: 'slot', summary: 'a slot in hexadecimal, of 32 bytes at most.', parse: parseStorageKey },
    optionalBlockIdParam,
  ],
  result: '32 bytes.',
  handle([address, slot, id], context) {
    const { state } = requireState(context, id);
    return slotValue(state.getStorage(bytesFromHex(address), slot.bytes));
  },
});

function parseSlotsByAddress(field: string, value: unknown): (readonly [Hex, readonly StorageKey[]])[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InvalidValueError(field, 'an object of addresses, each with a list of slots', value);
  const entries = Object.entries(value);
  if (entries.length === 0) throw new RpcError('params', 'empty request');
  let count = 0;
  return entries.map(([address, slots]) => {
    const keys = parseList(`${field}.${address.slice(0, 42)}`, slots, slotsMax, parseStorageKey);
    count += keys.length;
    if (count > slotsMax) throw new RpcError('params', `too many slots (max ${slotsMax})`);
    return [parseAddress(`${field}, an address`, address), keys] as const;
  });
}

export const ethGetStorageValues = define({
  name: 'eth_getStorageValues',
  summary: 'The values at many slots of many contracts after one block.',
  params: [
    {
      name: 'slots',
      summary: `an object of addresses, each with a list of slots, ${slotsMax} in all at most.`,
      parse: parseSlotsByAddress,
    },
    optionalBlockIdParam,
  ],
  result: 'An object of addresses, each with the list of its values.',
  cost: 10,
  handle([wanted, id], context) {
    const { state } = requireState(context, id);
    return Object.fromEntries(
      wanted.map(([address, slots]) => [
        address,
        slots.map(({ bytes }) => slotValue(state.getStorage(bytesFromHex(address), bytes))),
      ]),
    );
  },
});
