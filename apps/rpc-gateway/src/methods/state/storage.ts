import {
  bytesFromHex,
  cannotUnmarshal,
  type Hex,
  InvalidValueError,
  jsonKind,
  parseAddress,
  parseHash,
} from '@cairn/block-model';
import { RpcError } from '@cairn/jsonrpc-core';
import { optionalBlockIdParam, requireState } from '../../block-param.ts';
import { define } from '../define.ts';
import { addressParam, parseItems, parseText } from '../params.ts';
import { decodeStorageKey } from './storage-key.ts';

/** Slots of one request at most, as in geth. */
const slotsMax = 1024;

const addressCharacters = 42;

/** A value of storage: always 32 bytes. */
function slotValue(value: Uint8Array): Hex {
  return `0x${Buffer.from(value).toString('hex').padStart(64, '0')}`;
}

export const ethGetStorageAt = define({
  name: 'eth_getStorageAt',
  summary: 'The value at a slot of the storage of a contract after a block.',
  params: [
    addressParam,
    { name: 'slot', summary: 'a slot in hexadecimal, of 32 bytes at most.', parse: parseText },
    optionalBlockIdParam,
  ],
  result: '32 bytes.',
  reveals: { contracts: ([address]) => [address] },
  handle([address, slot, id], context) {
    const { state } = requireState(context, id);
    return slotValue(state.getStorage(bytesFromHex(address), decodeStorageKey(slot).bytes));
  },
});

function parseSlotsByAddress(field: string, value: unknown): ReadonlyMap<Hex, readonly Hex[]> {
  if (value === null) return new Map();
  if (typeof value !== 'object' || Array.isArray(value))
    throw new InvalidValueError(
      field,
      'an object of addresses, each with a list of slots',
      value,
      cannotUnmarshal(jsonKind(value), 'map[common.Address][]common.Hash'),
    );
  const entries = Object.entries(value).map(([key, slots]) => {
    const values = parseItems(`${field}.${key.slice(0, addressCharacters)}`, slots, '[]common.Hash', parseHash);
    return [parseAddress(`${field}, an address`, key), values] as const;
  });
  // The last one of an address that is written in two ways counts, as in geth.
  return new Map(entries);
}

export const ethGetStorageValues = define({
  name: 'eth_getStorageValues',
  summary: 'The values at many slots of many contracts after one block.',
  params: [
    {
      name: 'slots',
      summary: `an object of addresses, each with a list of slots of 32 bytes, ${slotsMax} in all at most.`,
      parse: parseSlotsByAddress,
    },
    optionalBlockIdParam,
  ],
  result: 'An object of addresses, each with the list of its values.',
  errors: ['tooManyBlocks'],
  cost: 10,
  reveals: { contracts: ([wanted]) => [...wanted.keys()] },
  handle([wanted, id], context) {
    const count = [...wanted.values()].reduce((sum, { length }) => sum + length, 0);
    if (count > slotsMax)
      throw new RpcError(
        'tooManyBlocks',
        `too many slots (max ${slotsMax}). Ask for ${count} slots in several requests.`,
      );
    if (count === 0) throw new RpcError('params', 'empty request. Give one slot or more.');
    const { state } = requireState(context, id);
    return Object.fromEntries(
      [...wanted].map(([address, slots]) => [
        address,
        slots.map((slot) => slotValue(state.getStorage(bytesFromHex(address), bytesFromHex(slot)))),
      ]),
    );
  },
});
