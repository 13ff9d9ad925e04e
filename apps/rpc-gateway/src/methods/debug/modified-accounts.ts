import { type Header, type Hex, hexFromBytes, parseHash, parseQuantity } from '@cairn/block-model';
import { type ParamDefinition, RpcError } from '@cairn/jsonrpc-core';
import { paramSchemas } from '../../param-schemas.ts';
import type { RequestContext } from '../../request-context.ts';
import { requireImported } from '../../resolve-block.ts';
import { define } from '../define.ts';
import { type CallExecutor, workerTimeSurcharge } from '../execution/call-executor.ts';
import { parseInteger } from './storage-range-at.ts';

/** geth also accepts plain numbers here. */
const parseHeight = (field: string, value: unknown): bigint =>
  typeof value === 'string' ? parseQuantity(field, value) : BigInt(Math.max(-1, parseInteger(field, value)));

const startNumberParam = {
  name: 'start',
  summary: 'a height, as a number or a quantity.',
  schema: paramSchemas.quantity,
  parse: parseHeight,
} satisfies ParamDefinition<bigint>;
const startHashParam = {
  name: 'start',
  summary: 'the hash of a block.',
  schema: paramSchemas.hash,
  parse: parseHash,
} satisfies ParamDefinition<Hex>;

const endSummary = 'the later block. Default: compare start with its parent.';
const result = 'Addresses of new and changed accounts, ordered by hash; null if there are none.';
const common = { errors: ['server'], cost: 50, surcharge: workerTimeSurcharge } as const;

export const debugGetModifiedAccountsByNumber = (executor: CallExecutor) =>
  define({
    name: 'debug_getModifiedAccountsByNumber',
    summary: 'Lists the accounts whose nonce, balance, code or storage differs between the states after two blocks.',
    params: [startNumberParam, { ...startNumberParam, name: 'end', summary: endSummary, isRequired: false }],
    result,
    ...common,
    reveals: 'anything',
    async handle([start, end], context) {
      const { reader } = context.chain;
      const at = (number: bigint) => {
        const hash = reader.hashByNumber(number);
        return hash && reader.header(hash);
      };
      const first = at(start);
      if (first === undefined) throw new RpcError('server', `start block ${start.toString(16)} not found`);
      if (end === undefined)
        return await modifiedSinceParent(executor, context, 'debug_getModifiedAccountsByNumber', first);
      const last = at(end);
      if (last === undefined) throw new RpcError('server', `end block ${end} not found`);
      return await modified(executor, context, 'debug_getModifiedAccountsByNumber', first, last);
    },
  });

export const debugGetModifiedAccountsByHash = (executor: CallExecutor) =>
  define({
    name: 'debug_getModifiedAccountsByHash',
    summary:
      'Lists the accounts that differ between the states after two blocks by hash, which may be on different branches.',
    params: [startHashParam, { ...startHashParam, name: 'end', summary: endSummary, isRequired: false }],
    result,
    ...common,
    reveals: 'anything',
    async handle([start, end], context) {
      const { reader } = context.chain;
      const first = reader.header(start);
      if (first === undefined) throw new RpcError('server', `start block ${start.slice(2)} not found`);
      if (end === undefined)
        return await modifiedSinceParent(executor, context, 'debug_getModifiedAccountsByHash', first);
      const last = reader.header(end);
      if (last === undefined) throw new RpcError('server', `end block ${end.slice(2)} not found`);
      return await modified(executor, context, 'debug_getModifiedAccountsByHash', first, last);
    },
  });

function modifiedSinceParent(
  executor: CallExecutor,
  context: RequestContext,
  method: string,
  header: Header,
): Promise<readonly Hex[] | null> {
  const parent = header.number > 0n ? context.chain.reader.header(header.parentHash) : undefined;
  if (parent === undefined) throw new RpcError('server', `block ${header.number.toString(16)} has no parent`);
  return modified(executor, context, method, parent, header);
}

async function modified(
  executor: CallExecutor,
  context: RequestContext,
  method: string,
  first: Header,
  last: Header,
): Promise<readonly Hex[] | null> {
  requireImported(context, method);
  if (first.number >= last.number) {
    throw new RpcError(
      'server',
      `start block height (${first.number}) must be less than end block height (${last.number})`,
    );
  }
  const chain = context.chain.network.name;
  const job = { kind: 'modifiedAccounts' as const, chain, blockHash: last.hash, since: first.hash };
  const { value: found } = await executor.runByTime(context, method, job);
  if (found === undefined) {
    throw new RpcError(
      'limit',
      'there are too many accounts to compare. Choose blocks among the newest 1,024, or a shorter range.',
    );
  }
  return found.length === 0 ? null : found.map(hexFromBytes);
}
