import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { BytesLog } from './bytes-log.ts';
import { hexFromBytes } from './hex.ts';
import type { Log } from './log.ts';
import { encodeReceipt, logsBloomOf } from './receipt.ts';

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });

test('BytesLog equals a log of the same text in fields, JSON, receipt RLP and bloom filter', () => {
  fc.assert(
    fc.property(
      bytes(20),
      fc.array(bytes(32), { maxLength: 4 }),
      fc.uint8Array({ maxLength: 80 }),
      (account, topics, data) => {
        const log = new BytesLog(
          account,
          topics.length,
          Uint8Array.from([...topics.flatMap((topic) => [...topic]), ...data]),
        );
        const text: Log = {
          address: hexFromBytes(account),
          topics: topics.map(hexFromBytes),
          data: hexFromBytes(data),
        };
        expect({ address: log.address, topics: log.topics, data: log.data }).toEqual(text);
        expect(JSON.parse(JSON.stringify(log))).toEqual(text);
        expect(logsBloomOf([log])).toBe(logsBloomOf([text]));
        const encoded = (logs: Log[]) =>
          encodeReceipt({ type: 2, status: true, cumulativeGasUsed: 1n, logsBloom: logsBloomOf(logs), logs });
        expect(encoded([log])).toEqual(encoded([text]));
      },
    ),
  );
});
