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
import { optionalBlockIdParam } from '../../block-id.ts';
import { paramSchemas } from '../../param-schemas.ts';
import { requireState } from '../../resolve-block.ts';
import { define } from '../define.ts';
import { addressParam, parseItems, parseText } from '../params.ts';
import { decodeStorageKey } from './storage-key.ts';

/** Most slots of one request, as in geth. */
const slotsMax = 1024;

const addressCharacters = 42;

/** Formats a storage value: always 32 bytes. */
function slotValue(value: Uint8Array): Hex {
  return `0x${Buffer.from(value).toString('hex').padStart(64, '0')}`;
}

export const ethGetStorageAt = define({
  name: 'eth_getStorageAt',
  summary: 'Returns the value of a storage slot of a contract after a block.',
  params: [
    addressParam,
    { name: 'slot', summary: 'a slot in hexadecimal, up to 32 bytes.', schema: paramSchemas.text, parse: parseText },
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
  // If an address occurs in two spellings, the last one counts, as in geth.
  return new Map(entries);
}

export const ethGetStorageValues = define({
  name: 'eth_getStorageValues',
  summary: 'Returns the values of several storage slots of several contracts after a block.',
  params: [
    {
      name: 'slots',
      summary: `an object of addresses, each with a list of 32-byte slots; up to ${slotsMax} slots in total.`,
      schema: paramSchemas.object,
      parse: parseSlotsByAddress,
    },
    optionalBlockIdParam,
  ],
  result: 'An object of addresses, each with a list of values.',
  errors: ['tooManyBlocks'],
  cost: 10,
  reveals: { contracts: ([wanted]) => [...wanted.keys()] },
  handle([wanted, id], context) {
    const count = [...wanted.values()].reduce((sum, { length }) => sum + length, 0);
    if (count > slotsMax)
      throw new RpcError(
        'tooManyBlocks',
        `too many slots (max ${slotsMax}). Split the ${count} slots into several requests.`,
      );
    if (count === 0) throw new RpcError('params', 'empty request. Give at least one slot.');
    const { state } = requireState(context, id);
    return Object.fromEntries(
      [...wanted].map(([address, slots]) => [
        address,
        slots.map((slot) => slotValue(state.getStorage(bytesFromHex(address), bytesFromHex(slot)))),
      ]),
    );
  },
});
