import { bytesFromHex, type Hex, hexFromBytes, InvalidValueError, parseData } from '@cairn/block-model';
import { RpcError } from '@cairn/jsonrpc-core';
import { blockIdParam } from '../../block-id.ts';
import { paramSchemas } from '../../param-schemas.ts';
import type { RequestContext } from '../../request-context.ts';
import { requireImported } from '../../resolve-block.ts';
import { define } from '../define.ts';
import { type CallExecutor, workerTimeSurcharge } from '../execution/call-executor.ts';
import { addressParam } from '../params.ts';
import { requireTracedHeader } from './traced-block.ts';

/** Most slots in one result; the next request continues at `nextKey`. */
const slotsMax = 1_024;

/** Reads an integer: geth does not accept a quantity in these parameters. @throws VALUE_INVALID */
export function parseInteger(field: string, value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw new InvalidValueError(field, 'a whole number', value);
}

export const debugStorageRangeAt = (executor: CallExecutor) =>
  define({
    name: 'debug_storageRangeAt',
    summary: `Lists up to ${slotsMax} slots of an account before a transaction of a block, ordered by hash. As in geth, the storage is that before the block: writes of its earlier transactions are missing.`,
    params: [
      blockIdParam,
      {
        name: 'index',
        summary: 'the index of the transaction in the block.',
        schema: paramSchemas.count,
        parse: parseInteger,
      },
      addressParam,
      {
        name: 'start',
        summary: 'the hash of the first slot, or the first bytes of that hash.',
        schema: paramSchemas.bytes,
        parse: parseData,
      },
      { name: 'limit', summary: 'the maximum number of slots.', schema: paramSchemas.count, parse: parseInteger },
    ],
    result: 'storage by hash, each with key (the slot) and value; nextKey, the hash to continue with, or null.',
    errors: ['server'],
    cost: 50,
    surcharge: workerTimeSurcharge,
    reveals: { contracts: ([, , address]) => [address] },
    async handle([id, index, address, start, limit], context) {
      requireImported(context, 'debug_storageRangeAt');
      const { hash, number, parentHash } = requireTracedHeader(context, id);
      requireTransaction(context, { hash, number }, index);
      const range = { start: bytesFromHex(start).subarray(0, 32), limit: Math.max(0, Math.min(limit, slotsMax)) };
      const place = { chain: context.chain.network.name, blockHash: parentHash, address: bytesFromHex(address) };
      const job = { kind: 'storageRange' as const, ...place, ...range };
      const { value: found } = await executor.runByTime(context, 'debug_storageRangeAt', job);
      if (found === undefined) throw new RpcError('server', `the state of block ${parentHash} is not kept`);
      const { isEmpty, entries, next } = found;
      const word = (value: Uint8Array): Hex => `0x${Buffer.from(value).toString('hex').padStart(64, '0')}`;
      return {
        storage: isEmpty
          ? null
          : Object.fromEntries(
              entries.map((entry) => [
                hexFromBytes(entry.hash),
                { key: entry.slot ? hexFromBytes(entry.slot) : null, value: word(entry.value) },
              ]),
            ),
        nextKey: next === undefined ? null : hexFromBytes(next),
      };
    },
  });

/** Checks that the block has a transaction with this index. @throws RpcError in geth's words */
function requireTransaction(
  { chain: { reader } }: RequestContext,
  { hash, number }: { readonly hash: Hex; readonly number: bigint },
  index: number,
): void {
  if (number === 0n) throw new RpcError('server', 'no transaction in genesis');
  const count = reader.block(hash)?.transactions.length ?? 0;
  if ((index >= 0 && index < count) || (index === 0 && count === 0)) return;
  throw new RpcError('server', `transaction index ${index} out of range for block ${hash}`);
}
