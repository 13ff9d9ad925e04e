import type { Block, Header, Hex, Log, Receipt } from '@cairn/block-model';
import type { RawJson } from '@cairn/jsonrpc-core';
import { expect, test } from '@jest/globals';
import type { RequestContext } from '../../request-context.ts';
import { findLogs } from './eth-get-logs.ts';

const head = 20n;
const hashOf = (number: bigint): Hex => `0x${number.toString(16).padStart(64, '0')}`;
const headerOf = (number: bigint) =>
  ({ number, hash: hashOf(number), timestamp: 0n, logsBloom: `0x${'ff'.repeat(256)}` }) as unknown as Header;
const quarterOfLimit: Hex = `0x${'00'.repeat(8 * 1024 * 1024)}`;

/** A chain whose blocks have these logs. `matchingLogs` stands for a network with upstreams. */
function chainOf(logsOf: (number: bigint) => readonly Log[], { hasUpstreams = false } = {}): RequestContext {
  const reader = {
    head: headerOf(head),
    hashByNumber: hashOf,
    header: (hash: Hex) => headerOf(BigInt(hash)),
    block: (hash: Hex) => ({ header: headerOf(BigInt(hash)), transactions: [{ hash }] }) as unknown as Block,
    receipts: (hash: Hex) => [{ logs: logsOf(BigInt(hash)) }] as unknown as Receipt[],
  };
  const matchingLogs = async ({ from, to }: { readonly from: bigint; readonly to: bigint }) =>
    Array.from({ length: Number(to - from) + 1 }, (_, at) => from + BigInt(at)).flatMap((number) =>
      logsOf(number).map((log) => ({ log, header: headerOf(number), transactionIndex: 0, logIndex: 0 })),
    );
  const chain = { network: { name: 'test' }, reader, logs: hasUpstreams ? { matchingLogs } : {} };
  return { chain, signal: new AbortController().signal } as unknown as RequestContext;
}

const log = (data: Hex = '0x'): Log => ({ address: `0x${'11'.repeat(20)}`, topics: [], data });
const between = (from: bigint, to: bigint) => ({
  blocks: { from: { number: from }, to: { number: to } },
  addresses: [],
  topics: [],
});

test('a result of more than 64 Mi characters is refused with the range that fits', async () => {
  const context = chainOf(() => [log(quarterOfLimit)]);
  await expect(findLogs(between(1n, 9n), context)).rejects.toMatchObject({
    rpcCode: -32_005,
    message: 'query returned more than 67108864 characters. Request a smaller range, up to block 3.',
    data: { charactersMax: 67_108_864, toBlock: '0x3' },
  });
  expect(((await findLogs(between(2n, 4n), context)) as RawJson).json.length).toBeGreaterThan(48 * 1024 * 1024);
});

test('a result of more than 64 Mi characters is refused on a network with upstreams', async () => {
  const context = chainOf(() => [log(quarterOfLimit)], { hasUpstreams: true });
  await expect(findLogs(between(1n, 9n), context)).rejects.toMatchObject({
    rpcCode: -32_005,
    data: { charactersMax: 67_108_864 },
  });
});

test('a block with more than 10,000 logs is refused without a range, unless blocks before it have logs', async () => {
  const context = chainOf((number) =>
    Array.from({ length: number === 7n ? 10_001 : Number(number % 2n) }, () => log()),
  );
  await expect(findLogs(between(6n, 9n), context)).rejects.toMatchObject({
    message: 'query returned more than 10000 logs. Name addresses or topics.',
    data: { logsMax: 10_000 },
  });
  await expect(findLogs(between(5n, 9n), context)).rejects.toMatchObject({
    message: 'query returned more than 10000 logs. Request a smaller range, up to block 6.',
    data: { logsMax: 10_000, toBlock: '0x6' },
  });
});
