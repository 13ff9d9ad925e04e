import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Hex, Log, LogField } from '@cairn/block-model';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { hasOneOf, heightsWith, indexLogs, unindexLogs } from './log-index.ts';
import { openTables } from './tables.ts';

const address = (n: number): Hex => `0x${n.toString(16).padStart(40, '0')}`;
const topic = (n: number): Hex => `0x${n.toString(16).padStart(64, '0')}`;
const log = fc
  .record({ at: fc.nat(3), topics: fc.array(fc.nat(3), { maxLength: 4 }) })
  .map(({ at, topics }): Log => ({ address: address(at), topics: topics.map(topic), data: '0x' }));
const field = fc.constantFrom<LogField>('address', 0, 1, 2, 3);

test('heightsWith finds the same blocks as a scan of every log, also after unindexLogs', async () => {
  const home = mkdtempSync(join(tmpdir(), 'cairn-logs-'));
  let round = 0;
  const blocks = fc.array(fc.array(log, { maxLength: 4 }), { minLength: 1, maxLength: 12 });
  const ask = { field, values: fc.array(fc.nat(4), { minLength: 1, maxLength: 3 }), from: fc.nat(12), to: fc.nat(12) };
  await fc.assert(
    fc.asyncProperty(blocks, fc.nat(3), fc.record(ask), async (history, taken, wanted) => {
      const { environment, logs: table } = await openTables(join(home, String(round++)));
      await environment.transaction(() => {
        for (const [height, logs] of history.entries()) indexLogs(table, BigInt(height), logs);
        for (const [height, logs] of history.entries())
          if (height >= history.length - taken) unindexLogs(table, BigInt(height), logs);
      });
      const values = wanted.values.map((n) => (wanted.field === 'address' ? address(n) : topic(n)));
      const has = (logs: readonly Log[]) =>
        logs.some((one) =>
          values.includes(wanted.field === 'address' ? one.address : (one.topics[wanted.field] ?? '0x')),
        );
      const expected = history.slice(0, Math.max(0, history.length - taken)).map(has);
      const range = { from: BigInt(wanted.from), to: BigInt(wanted.to) };
      const heights = [...expected.keys()].filter((n) => expected[n] && n >= wanted.from && n <= wanted.to).map(BigInt);
      expect(heightsWith(table, wanted.field, values, range)).toEqual(heights);
      expect(history.map((_, height) => hasOneOf(table, wanted.field, values, BigInt(height)))).toEqual(
        history.map((_, height) => expected[height] ?? false),
      );
      await environment.close();
    }),
    { numRuns: 40 },
  );
  rmSync(home, { recursive: true });
});
