import {
  decodeHeader,
  type Header,
  type Hex,
  type LogQuery,
  parseAddress,
  parseHash,
  quantity,
} from '@cairn/block-model';
import type { VerifiedChain } from '../chain/chain-of.ts';
import { VerifyError } from '../errors.ts';
import { verifyLimits } from '../limits.ts';
import { type VerifiedLog, verifyLogs } from '../verify-logs.ts';
import { decodeLogWitness } from '../witness/log-witness.ts';
import { ProviderRpcError, type RpcRequest } from './rpc-request.ts';
import { hashOf, quantityPattern, type VerifiedHeaders } from './verified-headers.ts';

/** Reads eth_getLogs through cairn_getLogs: no log of the range is omitted. @throws ProviderRpcError, VerifyError */
export async function logsVerified(
  request: RpcRequest,
  headers: VerifiedHeaders,
  filter: unknown,
  chain: VerifiedChain,
): Promise<readonly VerifiedLog[]> {
  const { blockHash, fromBlock, toBlock, address, topics } = filterOf(filter);
  const query = queryOf(address, topics);
  const given = { ...(address !== undefined && { address }), ...(topics !== undefined && { topics }) };
  if (isGiven(blockHash)) {
    if (isGiven(fromBlock) || isGiven(toBlock))
      throw new ProviderRpcError(
        -32602,
        'invalid argument 0: cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other',
      );
    const { hash, number } = await headers.byHash(hashOf(blockHash));
    return (
      await part(request, { blockHash: hash, ...given }, { blockHash: hash, query, from: number, to: number, chain })
    ).logs;
  }
  const last = await headers.resolve(toBlock);
  // One head for both ends: the newest block can change between two reads.
  const head = (toBlock ?? 'latest') === 'latest' ? last : await headers.head();
  const from = await numberOf(headers, fromBlock ?? 'latest', head);
  if (from > last.number)
    throw new ProviderRpcError(-32602, `invalid block range params. The range is from ${from} to ${last.number}.`);
  if (last.number - from >= verifyLimits.logRangeMax)
    throw new ProviderRpcError(-32005, `exceed maximum block range ${verifyLimits.logRangeMax}`);
  // From the end of the range: the lowest header of each part names the last block of the next one.
  const parts: (readonly VerifiedLog[])[] = [];
  let [to, hash] = [last.number, last.hash];
  for (;;) {
    const start = to - from < verifyLimits.logBlocksMax ? from : to - verifyLimits.logBlocksMax + 1n;
    const range = { fromBlock: quantity(start), toBlock: quantity(to), ...given };
    const { logs, parentHash } = await part(request, range, { blockHash: hash, query, from: start, to, chain });
    parts.unshift(logs);
    if (start === from) return parts.flat();
    [to, hash] = [start - 1n, parentHash];
  }
}

async function part(
  request: RpcRequest,
  filter: object,
  options: Parameters<typeof verifyLogs>[1],
): Promise<{ readonly logs: readonly VerifiedLog[]; readonly parentHash: Hex }> {
  const answer = await request({ method: 'cairn_getLogs', params: [filter] });
  const { witness } = (answer ?? {}) as { readonly witness?: unknown };
  if (typeof witness !== 'string') throw new VerifyError('ANSWER_MALFORMED', 'The answer has no witness.');
  const logs = verifyLogs(witness, options);
  const lowest = decodeLogWitness(witness).headers.at(-1) as Uint8Array;
  return { logs, parentHash: decodeHeader(lowest).parentHash };
}

/** Geth reads null as absent. */
const isGiven = (value: unknown) => value !== undefined && value !== null;

/** @throws ProviderRpcError for anything but an object */
function filterOf(filter: unknown): Readonly<Record<string, unknown>> {
  if (!isGiven(filter)) return {};
  if (typeof filter === 'object' && !Array.isArray(filter)) return filter as Readonly<Record<string, unknown>>;
  throw new ProviderRpcError(-32602, 'invalid argument 0: expected a filter such as {"fromBlock":"0x1b4"}.');
}

/** Number of a block id. A number is not proven: it only bounds the range. */
async function numberOf(headers: VerifiedHeaders, id: unknown, head: Header): Promise<bigint> {
  if (typeof id === 'string' && quantityPattern.test(id)) return BigInt(id);
  if (id === 'earliest') return 0n;
  return id === 'latest' ? head.number : (await headers.resolve(id)).number;
}

/** @throws VALUE_INVALID */
function queryOf(address: unknown, topics: unknown): LogQuery {
  const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);
  return {
    ...(isGiven(address) && { addresses: listOf(address).map((each) => parseAddress('address', each)) }),
    ...(isGiven(topics) && {
      topics: listOf(topics).map((place) => {
        // Null in a list matches every topic, as in geth.
        if (!isGiven(place) || listOf(place).includes(null)) return null;
        return listOf(place).map((topic) => parseHash('topic', topic));
      }),
    }),
  };
}
