import type { Header, Hex, Receipt } from '@cairn/block-model';
import { expect, test } from '@jest/globals';
import { parseLogFilter } from '../methods/logs/log-filter.ts';
import { type FilterReader, Filters } from './filters.ts';

const hashOf = (name: string): Hex => `0x${Buffer.from(name).toString('hex').padStart(64, '0')}`;
const address: Hex = `0x${'11'.repeat(20)}`;

/** Builds blocks that are named by their path from genesis, each with one log. `moveTo` sets the head. */
function chain(...names: string[]) {
  const headers = new Map<Hex, Header>();
  for (const name of names)
    for (let length = 0; length <= name.length; length++) {
      const hash = hashOf(`g${name.slice(0, length)}`);
      const parentHash = hashOf(length === 0 ? '' : `g${name.slice(0, length - 1)}`);
      headers.set(hash, {
        hash,
        parentHash,
        number: BigInt(length),
        timestamp: 0n,
        logsBloom: '0x1',
      } as unknown as Header);
    }
  const reader = {
    head: { hash: hashOf('g'), number: 0n },
    header: (hash: Hex) => headers.get(hash),
    receipts: () => [{ logs: [{ address, topics: [], data: '0x' }] } as unknown as Receipt],
    block: () => undefined,
  } satisfies FilterReader;
  const moveTo = (name: string) => {
    reader.head = { hash: hashOf(`g${name}`), number: BigInt(name.length) };
  };
  return { reader, moveTo };
}

test('changes returns the blocks and logs since the last request, including removed ones', () => {
  const { reader, moveTo } = chain('aa', 'b');
  const own = new Filters(reader).of('key');
  const blocks = own.add({ kind: 'blocks' });
  const logs = own.add({ kind: 'logs', filter: parseLogFilter('filter', { address }) });
  const others = own.add({ kind: 'logs', filter: parseLogFilter('filter', { address: `0x${'22'.repeat(20)}` }) });
  const later = own.add({ kind: 'logs', filter: parseLogFilter('filter', { fromBlock: '0x2' }) });
  const none = own.add({ kind: 'pendingTransactions' });
  const changes = (id: string) => {
    const filter = own.find(id);
    return filter && own.changes(filter);
  };
  expect([blocks, logs, none].map(changes)).toEqual([[], [], []]);
  moveTo('aa');
  expect(changes(blocks)).toEqual([hashOf('ga'), hashOf('gaa')]);
  expect(changes(logs)).toMatchObject([
    { blockHash: hashOf('ga'), removed: false },
    { blockHash: hashOf('gaa'), removed: false },
  ]);
  expect(changes(later)).toMatchObject([{ blockHash: hashOf('gaa') }]);
  expect(changes(others)).toEqual([]);
  moveTo('b');
  expect(changes(blocks)).toEqual([hashOf('gb')]);
  expect(changes(logs)).toMatchObject([
    { blockHash: hashOf('gaa'), removed: true },
    { blockHash: hashOf('ga'), removed: true },
    { blockHash: hashOf('gb'), removed: false },
  ]);
  expect(changes(none)).toEqual([]);
});

test('a filter ends when it is removed, and after five minutes without a request', () => {
  let now = 0;
  const filters = new Filters(chain('a').reader, () => now);
  const own = filters.of('key');
  const [polled, idle] = [own.add({ kind: 'blocks' }), own.add({ kind: 'blocks' })];
  expect(filters.of('other').find(polled)).toBeUndefined();
  expect(filters.of('other').remove(polled)).toBe(false);
  now = 299_999;
  const filter = own.find(polled);
  if (filter) own.changes(filter);
  now = 300_000;
  expect(own.find(idle)).toBeUndefined();
  expect(own.find(polled)).toBe(filter);
  expect([own.remove(polled), own.remove(polled)]).toEqual([true, false]);
  const again = own.add({ kind: 'blocks' });
  expect(own.find(again)).toBeDefined();
});

test('add refuses more than 100 filters, or 10,000 addresses and topics, per key', () => {
  const own = new Filters(chain('a').reader).of('key');
  for (let count = 0; count < 100; count++) own.add({ kind: 'blocks' });
  expect(() => own.add({ kind: 'blocks' })).toThrow(expect.objectContaining({ rpcCode: -32005 }));
  const other = new Filters(chain('a').reader).of('key');
  const filter = parseLogFilter('filter', { address: Array(1000).fill(address) });
  for (let count = 0; count < 10; count++) other.add({ kind: 'logs', filter });
  expect(() => other.add({ kind: 'logs', filter })).toThrow(expect.objectContaining({ rpcCode: -32005 }));
});
