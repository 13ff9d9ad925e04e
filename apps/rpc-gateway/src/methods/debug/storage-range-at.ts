import { bytesFromHex, type Hex, hexFromBytes, InvalidValueError, parseData } from '@cairn/block-model';
import { RpcError } from '@cairn/jsonrpc-core';
import { blockIdParam } from '../../block-param.ts';
import type { RequestContext } from '../../request-context.ts';
import { define } from '../define.ts';
import { runTimedJob, workerTimeSurcharge } from '../execution/run-job.ts';
import { addressParam } from '../params.ts';
import { requireTracedHeader } from './traced-block.ts';

/** Slots of one answer at most: the next request begins where it ended. */
const slotsMax = 1_024;

/** A whole number, as geth takes it in these parameters: not a quantity. */
export function parseInteger(field: string, value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw new InvalidValueError(field, 'a whole number', value);
}

export const debugStorageRangeAt = define({
  name: 'debug_storageRangeAt',
  summary: `Slots of an account in the order of their hashes, ${slotsMax} at most, before a transaction of a block. As in geth the storage is that before the block, whatever its earlier transactions wrote.`,
  params: [
    blockIdParam,
    { name: 'index', summary: 'the place of the transaction in the block.', parse: parseInteger },
    addressParam,
    { name: 'start', summary: 'the hash of a slot to begin with, or the first bytes of it.', parse: parseData },
    { name: 'limit', summary: 'slots at most.', parse: parseInteger },
  ],
  result: 'storage by hash, each with key (the slot) and value; nextKey, the hash to go on with, or null.',
  errors: ['server'],
  cost: 50,
  surcharge: workerTimeSurcharge,
  reveals: { contracts: ([, , address]) => [address] },
  async handle([id, index, address, start, limit], context) {
    const { hash, number, parentHash } = requireTracedHeader(context, id);
    requireTransaction(context, { hash, number }, index);
    const range = { start: bytesFromHex(start).subarray(0, 32), limit: Math.max(0, Math.min(limit, slotsMax)) };
    const place = { chain: context.chain.network.name, blockHash: parentHash, address: bytesFromHex(address) };
    const job = { kind: 'storageRange' as const, ...place, ...range };
    const { value: found } = await runTimedJob(context, 'debug_storageRangeAt', job);
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

/** @throws RpcError in geth's words */
function requireTransaction(
  { chain: { store } }: RequestContext,
  { hash, number }: { readonly hash: Hex; readonly number: bigint },
  index: number,
): void {
  if (number === 0n) throw new RpcError('server', 'no transaction in genesis');
  const count = store.block(hash)?.transactions.length ?? 0;
  if ((index >= 0 && index < count) || (index === 0 && count === 0)) return;
  throw new RpcError('server', `transaction index ${index} out of range for block ${hash}`);
}
