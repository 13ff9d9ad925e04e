import { expect, test } from '@jest/globals';
import { recordTexts } from './record-texts.ts';

test('recordTexts counts announced records, not announcements since the start', () => {
  const afterRestart = { records: 23, waiting: 0, announced: 0, failed: 0, oldestSeconds: 7200 };
  expect(recordTexts(afterRestart)).toEqual({ value: '23 of 23', text: '0 waiting, 0 failed, oldest 2 h 0 min ago' });
  const repeated = { records: 23, waiting: 3, announced: 400, failed: 1, oldestSeconds: 7200 };
  expect(recordTexts(repeated).value).toBe('20 of 23');
});

test('recordTexts reports a routing system that cannot be reached', () => {
  const text = '23 waiting, 0 failed, none yet, routing cannot be reached';
  expect(recordTexts({ records: 23, waiting: 23, failed: 0, isOnline: false })).toEqual({ value: '0 of 23', text });
});
